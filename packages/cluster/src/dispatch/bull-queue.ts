import { type DispatchQueue, type JobOutcome, systemClock, type TurnKey } from '@tandem/actor-core';
import { sleep } from '@tandem/errors';
import { type Job, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { ClusterObserver } from '../observer.ts';

/** Prefix of BullMQ's keys. */
export const JOBS_PREFIX = 'tandem';
export const TURNS_QUEUE = 'turns';

/** A dead worker's jobs are handed on after at most this and the interval below. */
const LOCK_MS = 4000;
const STALLED_CHECK_MS = 1000;
/** How long an idle worker waits for a job before it asks again, seconds. A hint that got lost costs as much. */
const IDLE_WAIT_S = 1;
/** A job whose handler threw rests with its worker for so long. */
const RETRY_MS = 1000;

export interface BullQueueOptions {
  /** Most jobs at a time: bounds memory, not work. */
  readonly concurrency: number;
}

/** One worker's end of the job queue. */
export class BullQueue implements DispatchQueue {
  readonly #redis: Redis;
  readonly #observer: ClusterObserver;
  readonly #options: BullQueueOptions;
  #worker: Worker<TurnKey> | undefined;
  #paused = false;

  /** @param redis a connection that waits for Redis to come back */
  constructor(redis: Redis, observer: ClusterObserver, options: BullQueueOptions) {
    this.#redis = redis;
    this.#observer = observer;
    this.#options = options;
  }

  async start(handler: (key: TurnKey) => Promise<JobOutcome>): Promise<void> {
    const worker = new Worker<TurnKey>(TURNS_QUEUE, (job, token) => this.#process(job, token, handler), {
      connection: this.#redis,
      prefix: JOBS_PREFIX,
      autorun: false,
      concurrency: this.#options.concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      // How often a turn may be taken over is counted in its journal.
      maxStalledCount: Number.POSITIVE_INFINITY,
      drainDelay: IDLE_WAIT_S,
      runRetryDelay: RETRY_MS,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    worker.on('error', (error) => this.#observer.fault?.('redis', error));
    this.#worker = worker;
    await worker.waitUntilReady();
    worker.run().catch((error) => this.#observer.fault?.('redis', error));
  }

  async pause(): Promise<void> {
    this.#paused = true;
    await this.#worker?.pause(true);
  }

  async close(): Promise<void> {
    await this.pause();
    await this.#worker?.close();
  }

  async #process(
    job: Job<TurnKey>,
    token: string | undefined,
    handler: (key: TurnKey) => Promise<JobOutcome>,
  ): Promise<void> {
    // A job that was on its way here when the worker paused belongs to another.
    const outcome = this.#paused ? 'requeue' : await this.#handle(job.data, handler);
    if (outcome === 'done') return;
    await job.moveToWait(token);
    throw new WaitingError();
  }

  async #handle(
    { owner, turn }: TurnKey,
    handler: (key: TurnKey) => Promise<JobOutcome>,
  ): Promise<JobOutcome> {
    try {
      return await handler({ owner, turn });
    } catch (error) {
      this.#observer.handlerFailed?.(error);
      await sleep(systemClock, RETRY_MS);
      return 'requeue';
    }
  }
}
