// Gateway and worker in one process, on memory adapters: for a laptop, and for trying Tandem out. Nothing outlives the process.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { systemClock as clock, systemEntropy as entropy } from '@tandem/actor-core';
import {
  MemoryDispatch,
  MemoryLeases,
  MemoryLog,
  MemoryRetention,
  MemorySignals,
  MemoryUsage,
} from '@tandem/actor-core/memory';
import { createGateway, type Gateway, type GatewayAddress, gatewayConfigShape } from '@tandem/gateway';
import { createModels, deploymentName } from '@tandem/models';
import {
  CatalogueError,
  ConfigError,
  type ConfigOf,
  catalogueSettings,
  createKeyRing,
  createLogger,
  createMetrics,
  createShutdown,
  generateKey,
  kind,
  listModels,
  loadUsers,
  logLevelSetting,
  type ModelListing,
  readCatalogue,
  readConfig,
  secret,
  setting,
  settingsHelp,
} from '@tandem/platform';
import {
  createWeb,
  createWorker,
  MemoryBlobStore,
  ModelSlots,
  priceList,
  usageMetrics,
  workerConfigShape,
  workerMetrics,
} from '@tandem/worker';

const drainGraceMs = setting(
  'DRAIN_GRACE',
  kind.duration({ default: '0s' }),
  'how long an orderly end waits for running turns, then before streams are ended',
);

/** The settings of both services, with defaults for one machine and one user. */
export const shape = {
  gateway: {
    ...gatewayConfigShape,
    host: setting('HOST', kind.text({ default: '127.0.0.1' }), gatewayConfigShape.host.description),
    port: setting('PORT', kind.port({ default: 8787 }), gatewayConfigShape.port.description),
    drainGraceMs,
  },
  worker: { ...workerConfigShape, logLevel: logLevelSetting('warn'), drainGraceMs },
  apiKey: secret(
    'API_KEY',
    kind.optional(kind.text({ minLength: 8 })),
    'the key of the single user `default`; unset: a new one at each start, printed',
  ),
};

/** Time to end connections and write the last lines, once turns were given theirs. */
const SHUTDOWN_SLACK_MS = 5_000;

if (import.meta.main) await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<void> {
  try {
    if (argv.includes('--help')) console.log(help());
    else await start(readConfig(shape, process.env, argv));
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof CatalogueError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}

function help(): string {
  return settingsHelp('Tandem in one process, for one machine. Nothing outlives it.', [
    { title: 'Gateway', shape: { ...shape.gateway, apiKey: shape.apiKey } },
    { title: 'Worker', shape: shape.worker },
    { title: 'Models (variables only)', shape: catalogueSettings },
  ]);
}

async function start({
  gateway: gatewayConfig,
  worker: workerConfig,
  apiKey,
}: ConfigOf<typeof shape>): Promise<void> {
  const secrets = { env: process.env, readTextFile: (path: string) => readFileSync(path, 'utf8') };
  const catalogue = readCatalogue(secrets);
  const key = apiKey ?? generateKey();
  // Standard output is for the person who started this.
  const logger = createLogger({
    service: 'standalone',
    level: workerConfig.logLevel,
    secrets: [key],
    destination: process.stderr,
  });
  const metrics = createMetrics({ service: 'standalone' });
  const users = await loadUsers({ ...workerConfig.users, apiKey: key, log: logger });

  const log = new MemoryLog({ clock });
  const signals = new MemorySignals({ clock });
  const dispatch = new MemoryDispatch({ clock });
  const slots = new ModelSlots(workerConfig.modelSlots);
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
    observe: observers.calls,
  });
  const worker = createWorker({
    workerId: entropy.id(),
    log,
    signals,
    leases: new MemoryLeases({ clock }),
    retention: new MemoryRetention({ clock, log, failed: (err) => logger.warn({ err }, 'purge failed') }),
    queue: dispatch.queue({ concurrency: workerConfig.concurrentTurns }),
    clock,
    entropy,
    models,
    slots,
    blobStore: new MemoryBlobStore({ clock, ...workerConfig.blobCache }),
    observers,
    usage: {
      ledger: new MemoryUsage({ clock }),
      policies: users,
      costOf: priceList(catalogue),
      observer: usageMetrics({
        metrics,
        log: logger,
        models: catalogue.models.map(({ id }) => id),
        users: workerConfig.usageMetricsByUser ? users.ownerIds : undefined,
      }),
    },
    web: createWeb(workerConfig.web),
    onBlobCacheFault: (err) => logger.warn({ err }, 'blob cache'),
  });
  const gateway = createGateway({
    config: gatewayConfig,
    log,
    signals,
    dispatcher: dispatch,
    users,
    tokens: createKeyRing({ current: randomBytes(32).toString('base64url') }),
    listing: () => listModels(catalogue),
    logger,
    metrics,
    clock,
    entropy,
  });

  const graceMs = workerConfig.drainGraceMs;
  const shutdown = createShutdown({ log: logger, graceMs: 2 * graceMs + SHUTDOWN_SLACK_MS });
  await worker.start();
  shutdown.add('models', () => models.close());
  shutdown.add('users', () => users.close());
  shutdown.add('worker', () => worker.drain(graceMs));
  const { url } = await listen(gateway, gatewayConfig.port);
  shutdown.add('gateway', async () => {
    await gateway.drain();
    await gateway.close();
  });
  welcome(url, listModels(catalogue), apiKey === undefined ? key : '$TANDEM_API_KEY');
}

async function listen(gateway: Gateway, port: number): Promise<GatewayAddress> {
  try {
    return await gateway.listen();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const reason = `port ${port} is taken: choose another one, or 0 for any that is free`;
    throw new ConfigError([{ where: 'TANDEM_PORT', reason }]);
  }
}

function welcome(url: string, models: readonly ModelListing[], key: string): void {
  const names = models.map(({ id, displayName }) => (displayName === id ? id : `${id} (${displayName})`));
  console.log(`Tandem listens on ${url}
Models: ${names.join(', ')}

Clients need these two:

CURSOR_BACKEND_URL=${url}
CURSOR_API_KEY=${key}

Conversations in progress live in this process and end with it. Press Ctrl-C to stop.`);
}
