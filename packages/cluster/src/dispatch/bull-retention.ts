import { type Log, purgeTurn, type Retention, type TurnKey } from '@tandem/actor-core';
import { type Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { EngineUnavailable } from '../cluster-errors.ts';
import type { ClusterObserver } from '../observer.ts';
import { JOBS_PREFIX } from './bull-queue.ts';
import { JobWatch } from './job-watch.ts';

export const PURGES_QUEUE = 'purges';

const CONCURRENCY = 10;
/** Tried for some two hours, at growing distances; what then is left goes with its age. */
const ATTEMPTS = 12;
const FIRST_RETRY_MS = 2000;

interface Purge {
  readonly key: TurnKey;
  readonly journal: number;
  readonly commands: number;
}

/** Schedules purges as delayed jobs of BullMQ. */
export class BullRetention implements Retention {
  readonly #queue: Queue<Purge>;
  readonly #observer: ClusterObserver;
  #watch: JobWatch | undefined;

  constructor(redis: Redis, observer: ClusterObserver) {
    this.#observer = observer;
    this.#queue = new Queue(PURGES_QUEUE, {
      connection: redis,
      prefix: JOBS_PREFIX,
      skipWaitingForReady: true,
    });
    this.#queue.on('error', (error) => observer.fault?.('redis', error));
  }

  async schedule(key: TurnKey, upTo: { journal: number; commands: number }, delayMs: number): Promise<void> {
    const purge = { key: { owner: key.owner, turn: key.turn }, ...upTo };
    try {
      await this.#queue.add('purge', purge, {
        delay: delayMs,
        attempts: ATTEMPTS,
        backoff: { type: 'exponential', delay: FIRST_RETRY_MS },
        removeOnComplete: true,
        removeOnFail: true,
      });
    } catch (error) {
      throw new EngineUnavailable('the job queue did not answer', error);
    }
  }

  /** Tells the observer from now on how many purges wait. */
  watch(): void {
    this.#watch ??= new JobWatch(this.#queue, this.#observer);
  }

  async close(): Promise<void> {
    this.#watch?.close();
    await this.#queue.close();
  }
}

/** Carries scheduled purges out; every worker of a cluster runs one. */
export class BullPurger {
  readonly #worker: Worker<Purge>;

  /** @param redis a connection that waits for Redis to come back */
  constructor(redis: Redis, log: Log, observer: ClusterObserver) {
    const purge = ({ data }: Job<Purge>) => purgeTurn(log, data.key, data);
    this.#worker = new Worker(PURGES_QUEUE, purge, {
      connection: redis,
      prefix: JOBS_PREFIX,
      concurrency: CONCURRENCY,
      removeOnComplete: { count: 0 },
    });
    this.#worker.on('error', (error) => observer.fault?.('redis', error));
    this.#worker.on('failed', (_job, error) => observer.fault?.('nats', error));
  }

  async close(): Promise<void> {
    await this.#worker.close();
  }
}
