import type { Dispatcher, DispatchPlace, TurnKey } from '@tandem/actor-core';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { EngineUnavailable } from '../cluster-errors.ts';
import type { ClusterObserver } from '../observer.ts';
import { JOBS_PREFIX, TURNS_QUEUE } from './bull-queue.ts';
import { JobWatch } from './job-watch.ts';

/** Wakes workers by jobs of BullMQ. */
export class BullDispatcher implements Dispatcher {
  readonly #queue: Queue<TurnKey>;
  readonly #observer: ClusterObserver;
  #watch: JobWatch | undefined;

  constructor(redis: Redis, observer: ClusterObserver) {
    this.#observer = observer;
    this.#queue = new Queue(TURNS_QUEUE, {
      connection: redis,
      prefix: JOBS_PREFIX,
      skipWaitingForReady: true,
    });
    this.#queue.on('error', (error) => observer.fault?.('redis', error));
  }

  async dispatch(key: TurnKey): Promise<void> {
    const job = { owner: key.owner, turn: key.turn };
    await answered(
      this.#queue.add('turn', job, {
        deduplication: { id: deduplicationId(key), keepLastIfActive: true },
        removeOnComplete: true,
        removeOnFail: true,
      }),
    );
  }

  async place(key: TurnKey): Promise<DispatchPlace> {
    let seen: string | undefined;
    for (;;) {
      const id = (await answered(this.#queue.getDeduplicationJobId(deduplicationId(key)))) ?? undefined;
      // A job that is gone may have been followed by another between the two questions.
      if (id === undefined || id === seen) return 'absent';
      const state = await answered(this.#queue.getJobState(id));
      if (state === 'active') return 'active';
      if (state === 'waiting' || state === 'delayed' || state === 'prioritized') return 'waiting';
      seen = id;
    }
  }

  /** Tells the observer from now on how many turns wait. */
  watch(): void {
    this.#watch ??= new JobWatch(this.#queue, this.#observer);
  }

  async close(): Promise<void> {
    this.#watch?.close();
    await this.#queue.close();
  }
}

async function answered<Result>(command: Promise<Result>): Promise<Result> {
  try {
    return await command;
  } catch (error) {
    throw new EngineUnavailable('the job queue did not answer', error);
  }
}

/** By this a turn has one job waiting or active, and one kept wake-up. Never a number, and without a colon. */
function deduplicationId({ owner, turn }: TurnKey): string {
  return `r_${owner}_${turn}`;
}
