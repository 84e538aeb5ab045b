import type { Clock, DispatchPlace, JobOutcome, Leases, TurnKey } from '@tandem/actor-core';
import { MemoryLeases } from '@tandem/actor-core/memory';
import type { Engine } from './call.ts';
import type { History } from './history.ts';
import type { Process } from './process.ts';
import type { Random } from './random.ts';

/** A worker's connection that waits for jobs. */
export interface JobTaker {
  readonly process: Process;
  takes(): boolean;
  give(job: Job): void;
}

export interface Job {
  readonly name: string;
  readonly key: TurnKey;
  /** Names one giving of the job to a worker; whoever has an older one lost it. */
  token: number;
  active: boolean;
  lockedUntil: number;
  /** A wake-up came while it was active. */
  again: boolean;
}

const LOCK_MS = 4_000;
const STALLED_CHECK_MS = 1_000;

/** The engine of leases and jobs: a queue whose active jobs are locked for a while, as BullMQ's are. */
export class Redis implements Engine {
  readonly host = 'redis';
  up = true;
  leases: Leases;
  readonly takers = new Set<JobTaker>();
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #history: History;
  #jobs = new Map<string, Job>();
  #tokens = 0;

  constructor(clock: Clock, random: Random, history: History) {
    this.#clock = clock;
    this.#random = random;
    this.#history = history;
    this.leases = new MemoryLeases({ clock });
    this.#checkStalled();
  }

  get answers() {
    return this.up ? ('yes' as const) : ('deaf' as const);
  }

  run(event: () => void): void {
    event();
  }

  /** What a restart may cost: leases, or the jobs as well. */
  lose(what: 'leases' | 'all'): void {
    this.leases = new MemoryLeases({ clock: this.#clock });
    if (what === 'all') this.#jobs = new Map();
  }

  async dispatch(key: TurnKey): Promise<void> {
    const name = `${key.owner}.${key.turn}`;
    const job = this.#jobs.get(name);
    if (job) {
      if (job.active) job.again = true;
      return;
    }
    this.#jobs.set(name, { name, key, token: 0, active: false, lockedUntil: 0, again: false });
    this.handOut();
  }

  async place(key: TurnKey): Promise<DispatchPlace> {
    const job = this.#jobs.get(`${key.owner}.${key.turn}`);
    if (!job) return 'absent';
    return job.active ? 'active' : 'waiting';
  }

  /** @returns false when the lock is another's */
  async renew(name: string, token: number): Promise<boolean> {
    const job = this.#jobs.get(name);
    if (!job?.active || job.token !== token) return false;
    job.lockedUntil = this.#clock.now() + LOCK_MS;
    return true;
  }

  async complete(name: string, token: number, outcome: JobOutcome | 'failed'): Promise<void> {
    const job = this.#jobs.get(name);
    if (!job?.active || job.token !== token) return;
    this.#history.note('job', `${name} ${outcome}`);
    if (outcome === 'done' && !job.again) this.#jobs.delete(name);
    else this.#wait(job);
  }

  /** Gives waiting jobs to workers. */
  handOut(): void {
    this.#clock.after(0, () => {
      if (!this.up) return;
      for (const job of this.#jobs.values()) {
        if (job.active) continue;
        const free = [...this.takers].filter(
          (taker) => taker.process.alive && !taker.process.paused && taker.takes(),
        );
        if (free.length === 0) return;
        const taker = this.#random.pick(free);
        job.active = true;
        job.token = ++this.#tokens;
        job.lockedUntil = this.#clock.now() + LOCK_MS;
        this.#history.note('job', `${job.name} to ${taker.process.name}`);
        taker.give({ ...job });
      }
    });
  }

  #wait(job: Job): void {
    job.active = false;
    job.again = false;
    this.handOut();
  }

  #checkStalled(): void {
    this.#clock.after(STALLED_CHECK_MS, () => this.#checkStalled());
    if (!this.up) return;
    for (const job of this.#jobs.values()) {
      if (!job.active || job.lockedUntil > this.#clock.now()) continue;
      this.#history.note('job stalled', job.name);
      this.#wait(job);
    }
    this.handOut();
  }
}
