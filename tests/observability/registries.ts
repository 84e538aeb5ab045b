import { systemClock as clock, systemEntropy as entropy } from '@tandem/actor-core';
import { MemoryDispatch, MemoryLog, MemorySignals } from '@tandem/actor-core/memory';
import { engineObserver } from '@tandem/cluster';
import { createGateway, gatewayConfigShape } from '@tandem/gateway';
import {
  createKeyRing,
  createMetrics,
  createUserDirectory,
  generateKey,
  type Metrics,
  readConfig,
  silentLogger,
  singleUser,
} from '@tandem/platform';
import { usageMetrics, workerMetrics } from '@tandem/worker';

/** The services that export metrics. */
export type Service = 'gateway' | 'worker';

/** The registries of both services, as their own processes declare them. */
export function registries(): Record<Service, Metrics> {
  return { gateway: gatewayRegistry(), worker: workerRegistry() };
}

function gatewayRegistry(): Metrics {
  const metrics = createMetrics({ service: 'gateway' });
  const logger = silentLogger();
  engineObserver(metrics, logger);
  createGateway({
    config: readConfig(gatewayConfigShape, {}, []),
    log: new MemoryLog({ clock }),
    signals: new MemorySignals({ clock }),
    dispatcher: new MemoryDispatch({ clock }),
    users: createUserDirectory([singleUser(generateKey())]),
    tokens: createKeyRing({ current: 'never used, but long enough to sign with' }),
    listing: () => [],
    logger,
    metrics,
    clock,
    entropy,
  });
  return metrics;
}

function workerRegistry(): Metrics {
  const metrics = createMetrics({ service: 'worker' });
  const log = silentLogger();
  const models = ['model'];
  engineObserver(metrics, log);
  workerMetrics({ metrics, log, models, deployments: ['deployment'], slots: { taken: 0, waiting: 0 } });
  usageMetrics({ metrics, log, models, users: ['user'] });
  return metrics;
}
