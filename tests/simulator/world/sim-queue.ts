import type { Dispatcher, DispatchPlace, DispatchQueue, JobOutcome, TurnKey } from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';
import { call } from './call.ts';
import type { History } from './history.ts';
import type { Network } from './network.ts';
import type { Process } from './process.ts';
import type { Job, JobTaker, Redis } from './redis.ts';
import type { Traps } from './traps.ts';

const TIMEOUT_MS = 2_000;
const RENEW_MS = 2_000;
const RETRY_MS = 500;

export interface QueueDeps {
  readonly net: Network;
  readonly redis: Redis;
  readonly history: History;
  readonly traps: Traps;
}

/** One process's calls of the engine of jobs. */
export function redisCall<T>(
  deps: QueueDeps,
  process: Process,
  execute: () => Promise<T>,
  die?: () => void,
): Promise<T> {
  return call(deps.net, {
    from: process,
    to: deps.redis,
    timeoutMs: TIMEOUT_MS,
    failure: () => {
      deps.history.count('fault: redis away');
      return new TandemError('cluster_unavailable');
    },
    execute,
    dieBeforeAnswer: die,
  });
}

/** Jobs as a gateway sends them. */
export class SimDispatcher implements Dispatcher {
  readonly #deps: QueueDeps;
  readonly #process: Process;

  constructor(deps: QueueDeps, process: Process) {
    this.#deps = deps;
    this.#process = process;
  }

  dispatch(key: TurnKey): Promise<void> {
    const trap = this.#deps.traps.sprung(this.#process, 'dispatch');
    return redisCall(this.#deps, this.#process, () => this.#deps.redis.dispatch(key), trap);
  }

  place(key: TurnKey): Promise<DispatchPlace> {
    return redisCall(this.#deps, this.#process, () => this.#deps.redis.place(key));
  }
}

/** Jobs as a worker takes them. */
export class SimQueue implements DispatchQueue, JobTaker {
  readonly process: Process;
  readonly #deps: QueueDeps;
  readonly #running = new Map<Job, Promise<void>>();
  #handler: ((key: TurnKey) => Promise<JobOutcome>) | undefined;
  #paused = false;

  constructor(deps: QueueDeps, process: Process) {
    this.#deps = deps;
    this.process = process;
  }

  async start(handler: (key: TurnKey) => Promise<JobOutcome>): Promise<void> {
    const { redis } = this.#deps;
    this.#handler = handler;
    redis.takers.add(this);
    this.process.onDeath(() => redis.takers.delete(this));
    redis.handOut();
    this.#renewLater();
  }

  async pause(): Promise<void> {
    this.#paused = true;
    this.#deps.redis.takers.delete(this);
  }

  async close(): Promise<void> {
    await this.pause();
    await Promise.all(this.#running.values());
  }

  takes(): boolean {
    return !this.#paused && !this.#deps.net.isCut(this.process.host, 'redis');
  }

  give(job: Job): void {
    const { net, redis } = this.#deps;
    net.send(redis, this.process, () => {
      const known = [...this.#running.keys()].some(({ token }) => token === job.token);
      if (!known) this.#running.set(job, this.#handle(job));
    });
  }

  async #handle(job: Job): Promise<void> {
    const outcome = await this.#handler?.(job.key).catch(() => 'failed' as const);
    this.#running.delete(job);
    const complete = () => this.#deps.redis.complete(job.name, job.token, outcome ?? 'requeue');
    for (let tries = 0; tries < 5; tries++) {
      const trap = this.#deps.traps.sprung(this.process, 'complete');
      const done = await redisCall(this.#deps, this.process, complete, trap).then(
        () => true,
        () => false,
      );
      if (done) return;
      await new Promise<void>((resolve) => this.process.clock.after(RETRY_MS, resolve));
    }
  }

  #renewLater(): void {
    this.process.clock.after(RENEW_MS, () => {
      for (const { name, token } of this.#running.keys()) {
        redisCall(this.#deps, this.process, () => this.#deps.redis.renew(name, token)).catch(() => {});
      }
      this.#renewLater();
    });
  }
}
