import type { Queue } from 'bullmq';
import type { ClusterObserver } from '../observer.ts';

const EVERY_MS = 10_000;

/** Tells every ten seconds how many jobs a queue holds. */
export class JobWatch {
  readonly #queue: Pick<Queue, 'name' | 'getJobCounts'>;
  readonly #observer: ClusterObserver;
  readonly #timer: NodeJS.Timeout;

  constructor(queue: Pick<Queue, 'name' | 'getJobCounts'>, observer: ClusterObserver) {
    this.#queue = queue;
    this.#observer = observer;
    this.#timer = setInterval(() => void this.#look(), EVERY_MS);
    this.#timer.unref();
    void this.#look();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    try {
      const {
        waiting = 0,
        active = 0,
        delayed = 0,
      } = await this.#queue.getJobCounts('waiting', 'active', 'delayed');
      this.#observer.jobs?.(this.#queue.name, { waiting, active, delayed });
    } catch {
      // Redis is away, which its own connection tells: the next look is soon.
    }
  }
}
