// A gateway as a process of its own, on NATS and Redis.
import { readFileSync } from 'node:fs';
import { systemClock as clock, systemEntropy as entropy } from '@tandem/actor-core';
import {
  ClusterUnsuitable,
  clusterConfigOf,
  clusterConfigShape,
  connectCluster,
  engineObserver,
} from '@tandem/cluster';
import {
  CatalogueError,
  ConfigError,
  type ConfigOf,
  catalogueSettings,
  createHealth,
  createKeyRing,
  createLogger,
  createMetrics,
  createShutdown,
  listModels,
  loadUsers,
  readCatalogue,
  readConfig,
  settingsHelp,
  startTracing,
} from '@tandem/platform';
import { gatewayProcessShape } from './config/process-config.ts';
import { readTls } from './config/read-tls.ts';
import { createGateway } from './gateway.ts';

const shape = { ...gatewayProcessShape, cluster: clusterConfigShape };

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
  return settingsHelp("Tandem's gateway: takes what clients send, and brings them what happens.", [
    { title: 'Gateway', shape: gatewayProcessShape },
    { title: 'Engines, the same for gateways and workers', shape: clusterConfigShape },
    { title: 'Models (variables only)', shape: catalogueSettings },
  ]);
}

async function start(config: ConfigOf<typeof shape>): Promise<void> {
  const { tokens, cluster: clusterConfig } = config;
  const readTextFile = (path: string) => readFileSync(path, 'utf8');
  const catalogue = readCatalogue({ env: process.env, readTextFile });
  const tls = readTls(config.gateway, readTextFile);
  const logger = createLogger({
    service: 'gateway',
    level: config.logLevel,
    secrets: [
      config.users.apiKey,
      tokens.secret,
      tokens.previousSecret,
      clusterConfig.natsPassword,
      clusterConfig.natsToken,
    ],
  });
  const metrics = createMetrics({ service: 'gateway' });
  const shutdown = createShutdown({ log: logger, graceMs: config.shutdownMs });
  const tracing = await startTracing({ service: 'gateway', ...config.tracing, log: logger });
  shutdown.add('tracing', () => tracing.shutdown());
  const users = await loadUsers({ ...config.users, log: logger });
  shutdown.add('users', () => users.close());
  const cluster = await connectCluster(clusterConfigOf(clusterConfig), {
    service: 'tandem-gateway',
    observer: engineObserver(metrics, logger),
  });
  shutdown.add('engines', () => cluster.close());
  const health = createHealth();
  for (const { name, check } of cluster.checks) health.add(name, check);

  const gateway = createGateway({
    config: config.gateway,
    log: cluster.log,
    signals: cluster.signals,
    dispatcher: cluster.dispatcher,
    users,
    tokens: createKeyRing({
      current: tokens.secret,
      previous: tokens.previousSecret === undefined ? [] : [tokens.previousSecret],
    }),
    listing: () => listModels(catalogue),
    logger,
    metrics,
    clock,
    entropy,
    tls,
    readiness: () => health.check(),
  });
  await gateway.listen();
  shutdown.add('gateway', async () => {
    await gateway.drain();
    await gateway.close();
  });
}
