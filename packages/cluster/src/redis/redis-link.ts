import { backoffMs } from '@tandem/errors';
import { Redis, type RedisOptions } from 'ioredis';
import { EngineUnavailable } from '../cluster-errors.ts';
import type { RedisConfig } from '../config.ts';
import type { ClusterObserver } from '../observer.ts';

const RECONNECT_PACE = { firstMs: 50, maxMs: 1000 };
const CONNECT_FOR_MS = 30_000;
/** A command that is not answered in time has an unknown outcome; none hangs longer. */
const COMMAND_TIMEOUT_MS = 2500;

/** The connections of a service to Redis. */
export interface RedisLink {
  /** Fails at once while the connection is down, and in time when nothing answers. */
  readonly prompt: Redis;
  /** Waits for the connection to come back: for BullMQ's workers, which must not lose what they are about to say. */
  readonly patient: Redis;
  readonly connected: boolean;
  close(): Promise<void>;
}

/** @throws EngineUnavailable when Redis does not answer for 30 s */
export async function openRedisLink(
  config: RedisConfig,
  service: string,
  observer: ClusterObserver,
): Promise<RedisLink> {
  const shared: RedisOptions = {
    ...config.connection,
    connectionName: service,
    lazyConnect: true,
    connectTimeout: 5000,
    keepAlive: 5000,
    retryStrategy: (times) => backoffMs(RECONNECT_PACE, times, Math.random()),
  };
  const prompt = new Redis(config.url, {
    ...shared,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
  });
  const patient = new Redis(config.url, { ...shared, maxRetriesPerRequest: null });
  const observed = observe(prompt, observer);
  // The prompt one tells of the engine; this one's faults come with it.
  patient.on('error', () => {});
  try {
    await untilReady([prompt, patient]);
  } catch (error) {
    prompt.disconnect();
    patient.disconnect();
    throw new EngineUnavailable('cannot connect to Redis', error);
  }
  return {
    prompt,
    patient,
    get connected() {
      return prompt.status === 'ready';
    },
    async close() {
      observed.end();
      await Promise.all([prompt, patient].map(end));
    },
  };
}

/** Tells of a connection's fate until `end`: one that is closed on purpose is not lost. */
function observe(redis: Redis, observer: ClusterObserver): { end(): void } {
  let state: 'new' | 'up' | 'down' | 'over' = 'new';
  redis.on('ready', () => {
    if (state === 'over') return;
    if (state === 'down') observer.reconnected?.('redis');
    state = 'up';
  });
  redis.on('close', () => {
    if (state === 'up') observer.disconnected?.('redis');
    if (state === 'up') state = 'down';
  });
  redis.on('error', (error) => observer.fault?.('redis', error));
  return {
    end() {
      state = 'over';
    },
  };
}

async function untilReady(connections: readonly Redis[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no connection in time')), CONNECT_FOR_MS);
  });
  const ready = connections.map(
    (redis) =>
      new Promise<void>((resolve) => {
        redis.once('ready', resolve);
        // Rejects with the first failed attempt; later ones go on in the background.
        redis.connect().catch(() => {});
      }),
  );
  try {
    await Promise.race([Promise.all(ready), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

async function end(redis: Redis): Promise<void> {
  if (redis.status === 'ready') await redis.quit().catch(() => redis.disconnect());
  else redis.disconnect();
}
