import type { Clock, Entropy, Timer } from '@tandem/actor-core';
import { seededEntropy } from '@tandem/actor-core/testing';
import { mix } from './random.ts';

/** Whoever can get a message. */
export interface Party {
  /** Where it runs: what the network knows of it. */
  readonly host: string;
  /** Lets something happen in it, now or (while it is paused) later, or (when it is dead) never. */
  run(event: () => void): void;
}

/**
 * One operating system process. All its code runs in events given to `run`, so that pausing or killing it needs nothing
 * of the code inside. A restarted process is a new one.
 */
export class Process implements Party {
  /** Unique over a run: a restarted process has another. */
  readonly name: string;
  readonly host: string;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly #time: Clock;
  #state: 'running' | 'paused' | 'dead' = 'running';
  #held: (() => void)[] = [];
  readonly #deathRites: (() => void)[] = [];

  /** @param skewMs how much its clock is ahead of the others' */
  constructor(name: string, options: { host: string; time: Clock; seed: number; skewMs: number }) {
    const { host, time, seed, skewMs } = options;
    this.name = name;
    this.host = host;
    this.#time = time;
    this.entropy = namedEntropy(seed, name);
    this.clock = {
      now: () => time.now() + skewMs,
      after: (ms, run) => this.#after(ms, run),
    };
  }

  get alive(): boolean {
    return this.#state !== 'dead';
  }

  get paused(): boolean {
    return this.#state === 'paused';
  }

  run(event: () => void): void {
    if (this.#state === 'dead') return;
    // What comes while it catches up comes behind what was held.
    if (this.#state === 'running' && this.#held.length === 0) event();
    else this.#held.push(event);
  }

  /** As SIGSTOP. */
  pause(): void {
    if (this.#state === 'running') this.#state = 'paused';
  }

  /** As SIGCONT: everything that came meanwhile happens now, in order. */
  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    this.#catchUp();
  }

  /** As SIGKILL. */
  kill(): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#held = [];
    for (const rite of this.#deathRites) rite();
  }

  /** What the world does when the process is gone: the kernel closes its sockets. */
  onDeath(rite: () => void): void {
    this.#deathRites.push(rite);
  }

  #catchUp(): void {
    if (this.#held.length === 0) return;
    this.#time.after(0, () => {
      if (this.#state !== 'running') return;
      this.#held[0]?.();
      this.#held.shift();
      this.#catchUp();
    });
  }

  #after(ms: number, run: () => void): Timer {
    let cancelled = false;
    const once = () => {
      if (!cancelled) run();
    };
    const timer = this.#time.after(ms, () => this.run(once));
    return {
      cancel: () => {
        cancelled = true;
        timer.cancel();
      },
    };
  }
}

/** Ids that tell by whom they were made. */
function namedEntropy(seed: number, name: string): Entropy {
  const { random } = seededEntropy(mix(seed, name));
  let ids = 0;
  return { random, id: () => `${name}-${(ids++).toString(36)}` };
}
