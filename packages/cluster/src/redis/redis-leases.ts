import type { LeaseState, Leases } from '@tandem/actor-core';
import type { Redis } from 'ioredis';
import { EngineUnavailable } from '../cluster-errors.ts';
import { defineLeaseScripts } from './lease-scripts.ts';

const KEY_PREFIX = 'tandem:lease:';
/** A script holds Redis up while it runs; this many keys take it well under a millisecond. */
const NAMES_PER_SCRIPT = 500;

/** Leases as expiring keys of Redis. */
export class RedisLeases implements Leases {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
    defineLeaseScripts(redis);
  }

  async acquire(name: string, holder: string, ttlMs: number): Promise<boolean> {
    return (await answered(this.#redis.acquireLease(KEY_PREFIX + name, holder, ttlMs))) === 1;
  }

  async renew(names: readonly string[], holder: string, ttlMs: number): Promise<Map<string, LeaseState>> {
    const chunks: Promise<[string, LeaseState][]>[] = [];
    for (let start = 0; start < names.length; start += NAMES_PER_SCRIPT) {
      chunks.push(this.#renewSome(names.slice(start, start + NAMES_PER_SCRIPT), holder, ttlMs));
    }
    return new Map((await Promise.all(chunks)).flat());
  }

  async release(name: string, holder: string): Promise<void> {
    await answered(this.#redis.releaseLease(KEY_PREFIX + name, holder));
  }

  async #renewSome(names: readonly string[], holder: string, ttlMs: number): Promise<[string, LeaseState][]> {
    const keys = names.map((name) => KEY_PREFIX + name);
    const states = await answered(this.#redis.renewLeases(keys.length, ...keys, holder, ttlMs));
    return names.map((name, index) => [name, leaseState(states[index])]);
  }
}

function leaseState(answer: number | undefined): LeaseState {
  if (answer === 1) return 'held';
  return answer === 0 ? 'lost' : 'missing';
}

async function answered<Result>(command: Promise<Result>): Promise<Result> {
  try {
    return await command;
  } catch (error) {
    throw new EngineUnavailable('Redis did not answer', error);
  }
}
