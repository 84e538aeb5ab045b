import type { Redis, Result } from 'ioredis';

/** Takes a lease that is free or already this holder's. ARGV: holder, milliseconds. 1: taken. */
const ACQUIRE_LEASE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** Extends a holder's leases. ARGV: holder, milliseconds. Of each key, 1: extended, 0: another's, -1: nobody's. */
const RENEW_LEASES = `
local states = {}
for index, key in ipairs(KEYS) do
  local holder = redis.call('GET', key)
  if not holder then
    states[index] = -1
  elseif holder == ARGV[1] then
    redis.call('PEXPIRE', key, ARGV[2])
    states[index] = 1
  else
    states[index] = 0
  end
end
return states`;

/** Frees a lease if it is this holder's. ARGV: holder. */
const RELEASE_LEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    acquireLease(key: string, holder: string, ttlMs: number): Result<number, Context>;
    renewLeases(keyCount: number, ...keysHolderTtl: (string | number)[]): Result<number[], Context>;
    releaseLease(key: string, holder: string): Result<number, Context>;
  }
}

export function defineLeaseScripts(redis: Redis): void {
  redis.defineCommand('acquireLease', { numberOfKeys: 1, lua: ACQUIRE_LEASE });
  redis.defineCommand('renewLeases', { lua: RENEW_LEASES });
  redis.defineCommand('releaseLease', { numberOfKeys: 1, lua: RELEASE_LEASE });
}
