import type { LeaseState, Leases } from '@tandem/actor-core';
import type { Process } from './process.ts';
import { type QueueDeps, redisCall } from './sim-queue.ts';

/** Leases as one process sees them. */
export class SimLeases implements Leases {
  readonly #deps: QueueDeps;
  readonly #process: Process;

  constructor(deps: QueueDeps, process: Process) {
    this.#deps = deps;
    this.#process = process;
  }

  acquire(name: string, holder: string, ttlMs: number): Promise<boolean> {
    return redisCall(this.#deps, this.#process, () => this.#deps.redis.leases.acquire(name, holder, ttlMs));
  }

  renew(names: readonly string[], holder: string, ttlMs: number): Promise<Map<string, LeaseState>> {
    return redisCall(this.#deps, this.#process, () => this.#deps.redis.leases.renew(names, holder, ttlMs));
  }

  release(name: string, holder: string): Promise<void> {
    return redisCall(this.#deps, this.#process, () => this.#deps.redis.leases.release(name, holder));
  }
}
