import type { Clock } from '../ports/clock.ts';
import type { Dispatcher, DispatchPlace, DispatchQueue, JobOutcome } from '../ports/dispatch.ts';
import type { TurnKey } from '../subject/turn-key.ts';

interface Job {
  readonly key: TurnKey;
  /** The worker that has it. */
  holder: MemoryQueue | undefined;
  /** A wake-up came while it was active. */
  again: boolean;
}

export interface MemoryDispatchOptions {
  readonly clock: Clock;
  /** How long a crashed worker's jobs stay with it, milliseconds; 5 s unless told. */
  readonly lockMs?: number;
  /** How long a job rests whose handler threw, milliseconds; 1 s unless told. */
  readonly retryMs?: number;
}

export interface MemoryQueueOptions {
  /** Most jobs at a time; 1,000 unless told. */
  readonly concurrency?: number;
  /** Told what a handler threw. */
  readonly failed?: (key: TurnKey, error: unknown) => void;
}

/** Jobs within this process. Each worker takes them by a queue of its own. */
export class MemoryDispatch implements Dispatcher {
  readonly #clock: Clock;
  readonly #lockMs: number;
  readonly #retryMs: number;
  readonly #jobs = new Map<string, Job>();
  #waiting: Job[] = [];
  readonly #queues: MemoryQueue[] = [];
  #handingOut = false;

  constructor(options: MemoryDispatchOptions) {
    this.#clock = options.clock;
    this.#lockMs = options.lockMs ?? 5000;
    this.#retryMs = options.retryMs ?? 1000;
  }

  async dispatch(key: TurnKey): Promise<void> {
    const name = `${key.owner}.${key.turn}`;
    const job = this.#jobs.get(name);
    if (job?.holder) job.again = true;
    if (job) return;
    const added: Job = { key, holder: undefined, again: false };
    this.#jobs.set(name, added);
    this.#wait(added);
  }

  async place(key: TurnKey): Promise<DispatchPlace> {
    const job = this.#jobs.get(`${key.owner}.${key.turn}`);
    if (!job) return 'absent';
    return job.holder ? 'active' : 'waiting';
  }

  /** A worker's end. */
  queue(options: MemoryQueueOptions = {}): MemoryQueue {
    const queue = new MemoryQueue(options, {
      changed: () => this.#handOutSoon(),
      settled: (job, by, outcome) => this.#settled(job, by, outcome),
      crashed: (jobs) => {
        this.#clock.after(this.#lockMs, () => {
          for (const job of jobs) this.#wait(job);
        });
      },
    });
    this.#queues.push(queue);
    return queue;
  }

  #wait(job: Job): void {
    job.holder = undefined;
    job.again = false;
    this.#waiting.push(job);
    this.#handOutSoon();
  }

  #settled(job: Job, by: MemoryQueue, outcome: JobOutcome | 'failed'): void {
    if (job.holder !== by) return;
    if (outcome === 'failed') this.#clock.after(this.#retryMs, () => this.#wait(job));
    else if (outcome === 'requeue' || job.again) this.#wait(job);
    else this.#jobs.delete(`${job.key.owner}.${job.key.turn}`);
    this.#handOutSoon();
  }

  #handOutSoon(): void {
    if (this.#handingOut) return;
    this.#handingOut = true;
    this.#clock.after(0, () => {
      this.#handingOut = false;
      this.#handOut();
    });
  }

  /** Gives each waiting job to the worker with the fewest. */
  #handOut(): void {
    while (this.#waiting.length > 0) {
      const free = this.#queues.filter((queue) => queue.takes()).sort((a, b) => a.size - b.size)[0];
      if (!free) return;
      const job = this.#waiting.shift() as Job;
      job.holder = free;
      free.run(job);
    }
  }
}

interface Handing {
  changed(): void;
  settled(job: Job, by: MemoryQueue, outcome: JobOutcome | 'failed'): void;
  crashed(jobs: readonly Job[]): void;
}

/** One worker's end of a `MemoryDispatch`. */
export class MemoryQueue implements DispatchQueue {
  readonly #options: MemoryQueueOptions;
  readonly #handing: Handing;
  readonly #running = new Map<Job, Promise<void>>();
  #handler: ((key: TurnKey) => Promise<JobOutcome>) | undefined;
  #paused = false;
  #dead = false;

  constructor(options: MemoryQueueOptions, handing: Handing) {
    this.#options = options;
    this.#handing = handing;
  }

  /** How many jobs it has. */
  get size(): number {
    return this.#running.size;
  }

  async start(handler: (key: TurnKey) => Promise<JobOutcome>): Promise<void> {
    this.#handler = handler;
    this.#handing.changed();
  }

  async pause(): Promise<void> {
    this.#paused = true;
  }

  async close(): Promise<void> {
    this.#paused = true;
    await Promise.all(this.#running.values());
  }

  /** As if the process died: jobs are handed on once their locks have expired, what handlers still say is ignored. */
  crash(): void {
    this.#dead = true;
    this.#handing.crashed([...this.#running.keys()]);
    this.#running.clear();
  }

  /** Whether it would take a job now. */
  takes(): boolean {
    return !!this.#handler && !this.#paused && !this.#dead && this.size < (this.#options.concurrency ?? 1000);
  }

  /** Runs a job that it was given. */
  run(job: Job): void {
    this.#running.set(job, this.#handle(job));
  }

  async #handle(job: Job): Promise<void> {
    let outcome: JobOutcome | 'failed';
    try {
      outcome = (await this.#handler?.(job.key)) ?? 'requeue';
    } catch (error) {
      outcome = 'failed';
      this.#options.failed?.(job.key, error);
    }
    if (this.#dead) return;
    this.#running.delete(job);
    this.#handing.settled(job, this, outcome);
  }
}
