import { randomUUID } from 'node:crypto';
import type {
  Dispatcher,
  DispatchQueue,
  Leases,
  Log,
  Retention,
  Signals,
  UsageLedger,
} from '@tandem/actor-core';
import { RedisBlobStore } from './blob-store/redis-blob-store.ts';
import { ClusterUnsuitable, EngineUnavailable } from './cluster-errors.ts';
import type { ClusterConfig } from './config.ts';
import { BullDispatcher } from './dispatch/bull-dispatcher.ts';
import { BullQueue, type BullQueueOptions } from './dispatch/bull-queue.ts';
import { BullPurger, BullRetention } from './dispatch/bull-retention.ts';
import { checkFencing, checkVersion } from './nats/check-server.ts';
import { FullnessWatch } from './nats/fullness-watch.ts';
import { openNatsLink } from './nats/nats-link.ts';
import { NatsLog } from './nats/nats-log.ts';
import { NatsSignals } from './nats/nats-signals.ts';
import { openStreams } from './nats/open-streams.ts';
import { patiently } from './nats/patiently.ts';
import { planStreams, type StreamPlan } from './nats/stream-plan.ts';
import type { ClusterObserver } from './observer.ts';
import { checkRedis } from './redis/check-redis.ts';
import { RedisLeases } from './redis/redis-leases.ts';
import { openRedisLink } from './redis/redis-link.ts';
import { RedisUsage } from './redis/redis-usage.ts';

export interface ConnectOptions {
  /** How this process is called in the engines' lists of connections. */
  readonly service: string;
  readonly observer?: ClusterObserver;
}

/** The ports of the runtime on NATS and Redis. */
export interface Cluster {
  readonly log: Log;
  readonly signals: Signals;
  readonly leases: Leases;
  readonly dispatcher: Dispatcher;
  readonly retention: Retention;
  /** What users and groups use. */
  readonly usage: UsageLedger;
  /** Sealed blobs, on the Redis at `url`: a cache store of its own, that may evict. */
  blobStore(url: string, maxAgeMs: number): RedisBlobStore;
  /** What an operator should know: what is promised less than it could be. Also given to the observer. */
  readonly advice: readonly string[];
  /** This process's end of the job queue. */
  queue(options: BullQueueOptions): DispatchQueue;
  /** Carries out scheduled purges in this process from now on; workers do. */
  runRetention(): void;
  readonly checks: readonly HealthCheck[];
  /** Ends the job queues, waiting for running handlers, then the connections. */
  close(): Promise<void>;
}

export interface HealthCheck {
  readonly name: string;
  /** @returns facts for whoever asks. @throws TandemError when the engine does not do its work now */
  // biome-ignore lint/suspicious/noConfusingVoidType: a check without facts is an async function without result.
  check(): Promise<Readonly<Record<string, boolean>> | void>;
}

/**
 * Connects to the engines, makes or checks the streams, and tries that writers are fenced.
 * @throws ClusterUnsuitable when an engine cannot keep what the configuration promises
 * @throws EngineUnavailable when an engine does not answer within 30 s
 */
export async function connectCluster(config: ClusterConfig, options: ConnectOptions): Promise<Cluster> {
  const { service, observer = {} } = options;
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (let closer = closers.pop(); closer; closer = closers.pop()) await closer();
  };
  try {
    return await open();
  } catch (error) {
    await close();
    throw error;
  }

  async function open(): Promise<Cluster> {
    const id = randomUUID();
    const redis = await openRedisLink(config.redis, service, observer);
    closers.push(() => redis.close());
    const nats = await openNatsLink(config.nats, service, observer);
    closers.push(() => nats.close());

    const advice = [...checkVersion(nats.serverVersion, config.nats), ...(await checkRedis(redis.prompt))];
    if (config.durable && advice.length > 0) {
      throw new ClusterUnsuitable(`these engines are not durable: ${advice.join('; ')}`);
    }
    const plan = planStreams(config.nats.streamPairs);
    const manager = await openStreams(nats, config.nats, plan);
    const fullness = new FullnessWatch(manager, plan, observer);
    closers.push(() => fullness.close());
    await fullness.start();
    const log = new NatsLog(nats, manager, plan, fullness);
    closers.push(() => log.close());
    await patiently(() => checkFencing(log, randomUUID()));

    const dispatcher = new BullDispatcher(redis.prompt, observer);
    closers.push(() => dispatcher.close());
    const retention = new BullRetention(redis.prompt, observer);
    closers.push(() => retention.close());
    observer.durable?.(advice.length === 0);
    for (const text of advice) observer.advice?.(text);

    return {
      log,
      signals: new NatsSignals(nats),
      leases: new RedisLeases(redis.prompt),
      dispatcher,
      retention,
      usage: new RedisUsage(redis.prompt),
      advice,
      queue(queueOptions) {
        const queue = new BullQueue(redis.patient, observer, queueOptions);
        closers.push(() => queue.close());
        dispatcher.watch();
        retention.watch();
        return queue;
      },
      runRetention() {
        const purger = new BullPurger(redis.patient, log, observer);
        closers.push(() => purger.close());
      },
      blobStore(url, maxAgeMs) {
        const store = new RedisBlobStore({
          url,
          maxAgeMs,
          onFault: (error) => observer.fault?.('redis', error),
        });
        closers.push(() => store.close());
        return store;
      },
      checks: [
        { name: 'nats', check: () => probeWrites(log, plan, id) },
        { name: 'redis', check: () => ping(redis.prompt) },
        { name: 'durability', check: async () => ({ durable: advice.length === 0 }) },
      ],
      close,
    };
  }
}

async function ping(redis: { ping(): Promise<unknown> }): Promise<void> {
  try {
    await redis.ping();
  } catch (error) {
    throw new EngineUnavailable('Redis did not answer', error);
  }
}

/**
 * Writes a record to each stream and deletes it again.
 * @param id of this process, so that probes of several do not disturb each other
 * @throws LogUnavailable, LogFull
 */
async function probeWrites(log: Log, plan: StreamPlan, id: string): Promise<void> {
  await Promise.all(
    plan.streams.map(async ({ subjects }) => {
      const subject = (subjects[0] ?? '').replace(/>$/, `~probe.${id}`);
      const { sequence } = await log.append(subject, { set: id, index: 0, count: 1 }, new Uint8Array());
      await log.purge(subject, sequence);
    }),
  );
}
