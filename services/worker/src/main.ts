// A worker as a process of its own, on NATS and Redis.
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { systemClock as clock, systemEntropy as entropy } from '@tandem/actor-core';
import {
  type Cluster,
  ClusterUnsuitable,
  clusterConfigOf,
  clusterConfigShape,
  connectCluster,
  engineObserver,
} from '@tandem/cluster';
import { createModels, deploymentName } from '@tandem/models';
import {
  adminApp,
  CatalogueError,
  ConfigError,
  type ConfigOf,
  catalogueSettings,
  createHealth,
  createLogger,
  createMetrics,
  createShutdown,
  loadUsers,
  readCatalogue,
  readConfig,
  SINGLE_USER_ID,
  settingsHelp,
  startTracing,
} from '@tandem/platform';
import { MemoryBlobStore } from './blob-cache/memory-blob-store.ts';
import { createWorker } from './create-worker.ts';
import { createWeb } from './effects/web.ts';
import { priceList } from './limits/call-meter.ts';
import { usageMetrics } from './metrics/usage-metrics.ts';
import { workerMetrics } from './metrics/worker-metrics.ts';
import { ModelSlots } from './model-slots/model-slots.ts';
import { allCallObservers, callTraces } from './tracing/call-traces.ts';
import { workerProcessShape } from './worker-config.ts';

const shape = { worker: workerProcessShape, cluster: clusterConfigShape };

/** Time to hand turns over and end connections, once running turns were given theirs. */
const SHUTDOWN_SLACK_MS = 10_000;

const argv = process.argv.slice(2);
try {
  if (argv.includes('--help')) console.log(help());
  else await start(readConfig(shape, process.env, argv));
} catch (error) {
  if (!isSetupFault(error)) throw error;
  console.error(error.message);
  process.exit(2);
}

function isSetupFault(error: unknown): error is Error {
  return (
    error instanceof ConfigError || error instanceof CatalogueError || error instanceof ClusterUnsuitable
  );
}

function help(): string {
  return settingsHelp("Tandem's worker: runs turns.", [
    { title: 'Worker', shape: workerProcessShape },
    { title: 'Engines, the same for gateways and workers', shape: clusterConfigShape },
    { title: 'Models (variables only)', shape: catalogueSettings },
  ]);
}

async function start({ worker: config, cluster: clusterConfig }: ConfigOf<typeof shape>): Promise<void> {
  const secrets = { env: process.env, readTextFile: (path: string) => readFileSync(path, 'utf8') };
  const catalogue = readCatalogue(secrets);
  const logger = createLogger({
    service: 'worker',
    level: config.logLevel,
    secrets: [clusterConfig.natsPassword, clusterConfig.natsToken],
  });
  const metrics = createMetrics({ service: 'worker' });
  const shutdown = createShutdown({ log: logger, graceMs: config.drainGraceMs + SHUTDOWN_SLACK_MS });
  const tracing = await startTracing({ service: 'worker', ...config.tracing, log: logger });
  shutdown.add('tracing', () => tracing.shutdown());
  const { enabled: traced, contents } = config.tracing;

  const observer = engineObserver(metrics, logger);
  const cluster = await connectCluster(clusterConfigOf(clusterConfig), {
    service: 'tandem-worker',
    observer,
  });
  shutdown.add('engines', () => cluster.close());
  const slots = new ModelSlots(config.modelSlots);
  const observers = workerMetrics({
    metrics,
    log: logger,
    models: catalogue.models.map(({ id }) => id),
    deployments: catalogue.models.flatMap(({ deployments }) => deployments.map(deploymentName)),
    slots,
  });
  const models = createModels({
    catalogue,
    secrets,
    clock,
    random: entropy.random,
    observe: traced ? allCallObservers([observers.calls, callTraces(tracing.tracer)]) : observers.calls,
  });
  shutdown.add('models', () => models.close());

  const users =
    config.users.file === undefined ? undefined : await loadUsers({ ...config.users, log: logger });
  shutdown.add('users', () => users?.close());

  const worker = createWorker({
    ...cluster,
    workerId: entropy.id(),
    queue: cluster.queue({ concurrency: config.concurrentTurns }),
    clock,
    entropy,
    models,
    slots,
    blobStore: config.blobCacheUrl
      ? cluster.blobStore(config.blobCacheUrl, config.blobCache.maxAgeMs)
      : new MemoryBlobStore({ clock, ...config.blobCache }),
    observers,
    usage: {
      ledger: cluster.usage,
      policies: users,
      costOf: priceList(catalogue),
      observer: usageMetrics({
        metrics,
        log: logger,
        models: catalogue.models.map(({ id }) => id),
        users: config.usageMetricsByUser ? (users?.ownerIds ?? [SINGLE_USER_ID]) : undefined,
      }),
    },
    tracing: traced ? { tracer: tracing.tracer, contents } : undefined,
    web: createWeb(config.web),
    onBlobCacheFault: (err) =>
      logger.warn({ err }, 'the blob cache did not answer; the client is asked instead'),
  });
  await worker.start();
  cluster.runRetention();
  shutdown.add('worker', () => worker.drain(config.drainGraceMs));
  await listenAdmin(config, cluster, metrics, shutdown);
  logger.info({ adminPort: config.adminPort }, 'worker runs');
}

/** Serves probes and metrics; readiness fails as soon as the end begins. */
async function listenAdmin(
  { adminPort: port, adminHost: hostname }: { adminPort: number; adminHost: string },
  cluster: Cluster,
  metrics: ReturnType<typeof createMetrics>,
  shutdown: ReturnType<typeof createShutdown>,
): Promise<void> {
  const health = createHealth();
  for (const { name, check } of cluster.checks) health.add(name, check);
  const app = adminApp({
    readiness: () => health.check(),
    metricsText: () => metrics.text(),
    metricsContentType: metrics.contentType,
  });
  const server = await new Promise<ReturnType<typeof serve>>((resolve, reject) => {
    const opening = serve({ fetch: app.fetch, port, hostname, overrideGlobalObjects: false }, () =>
      resolve(opening),
    );
    opening.once('error', reject);
  });
  // Runs first, before turns are handed over; probes are answered until the very end.
  shutdown.add('admin', () => health.drain());
  process.once('exit', () => server.close());
}
