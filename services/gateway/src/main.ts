// The gateway as a process of its own, on NATS and Redis.
import { readFileSync } from 'node:fs';
import { systemClock as clock, systemEntropy as entropy } from '@tandem/actor-core';
import { type ClusterObserver, connectCluster } from '@tandem/cluster';
import {
  CatalogueError,
  ConfigError,
  type ConfigOf,
  createHealth,
  createKeyRing,
  createLogger,
  createMetrics,
  createShutdown,
  type Logger,
  listModels,
  loadUsers,
  readCatalogue,
  readConfig,
  startTracing,
} from '@tandem/platform';
import { gatewayProcessShape } from './config/process-config.ts';
import { createGateway } from './gateway.ts';

type ProcessConfig = ConfigOf<typeof gatewayProcessShape>;

const readTextFile = (path: string) => readFileSync(path, 'utf8');

try {
  await start(readConfig(gatewayProcessShape, process.env, process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof CatalogueError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

async function start(config: ProcessConfig): Promise<void> {
  const { users: userConfig, tokens, tracing, shutdownMs } = config;
  const catalogue = readCatalogue({ env: process.env, readTextFile });
  const logger = createLogger({
    service: 'gateway',
    level: config.logLevel,
    secrets: [userConfig.apiKey, tokens.secret, tokens.previousSecret, config.cluster.natsPassword],
  });
  const metrics = createMetrics({ service: 'gateway' });
  const keyRing = createKeyRing({
    current: tokens.secret,
    previous: tokens.previousSecret ? [tokens.previousSecret] : [],
  });
  const tls = tlsOf(config);
  const shutdown = createShutdown({ log: logger, graceMs: shutdownMs });

  const { shutdown: stopTracing } = await startTracing({ service: 'gateway', log: logger, ...tracing });
  shutdown.add('tracing', () => stopTracing());
  const users = await loadUsers({ ...userConfig, log: logger });
  shutdown.add('users', () => users.close());
  const cluster = await connectCluster(clusterOf(config), { service: 'gateway', observer: observe(logger) });
  shutdown.add('cluster', () => cluster.close());
  const health = createHealth();
  for (const { name, check } of cluster.checks) health.add(name, check);

  const gateway = createGateway({
    config: config.gateway,
    log: cluster.log,
    signals: cluster.signals,
    dispatcher: cluster.dispatcher,
    users,
    tokens: keyRing,
    listing: () => listModels(catalogue),
    logger,
    metrics,
    clock,
    entropy,
    tls,
    readiness: () => health.check(),
  });
  shutdown.add('gateway', async () => {
    await gateway.drain();
    await gateway.close();
  });
  await gateway.listen();
}

function clusterOf({ cluster }: ProcessConfig): Parameters<typeof connectCluster>[0] {
  const { natsServers, natsUser, natsPassword, natsToken, redisUrl, ...streams } = cluster;
  const credentials = {
    ...(natsUser === undefined ? {} : { user: natsUser }),
    ...(natsPassword === undefined ? {} : { pass: natsPassword }),
    ...(natsToken === undefined ? {} : { token: natsToken }),
  };
  return { nats: { servers: natsServers, connection: credentials, ...streams }, redis: { url: redisUrl } };
}

function observe(logger: Logger): ClusterObserver {
  return {
    disconnected: (engine) => logger.warn({ engine }, 'connection lost'),
    reconnected: (engine) => logger.info({ engine }, 'connection is back'),
    fault: (engine, err) => logger.warn({ engine, err }, 'engine fault'),
    advice: (text) => logger.warn(text),
  };
}

function tlsOf({ gateway: { tlsCertFile, tlsKeyFile } }: ProcessConfig) {
  if (!tlsCertFile && !tlsKeyFile) return undefined;
  if (!tlsCertFile || !tlsKeyFile) {
    throw new ConfigError([
      { where: 'TANDEM_TLS_CERT_FILE', reason: 'certificate and key are set together, or not at all' },
    ]);
  }
  return {
    cert: readPem('TANDEM_TLS_CERT_FILE', tlsCertFile),
    key: readPem('TANDEM_TLS_KEY_FILE', tlsKeyFile),
  };
}

function readPem(variable: string, path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new ConfigError([{ where: variable, reason: `names a file that cannot be read (${code})` }]);
  }
}
