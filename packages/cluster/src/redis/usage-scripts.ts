import type { Redis, Result } from 'ioredis';

/**
 * Takes a turn's place in all of its scopes. KEYS: the turn's holder, then each scope's running turns by the time at
 * which their places expire. ARGV: turn, holder, milliseconds, 1 to force, then each scope's limit or ''. 0: taken, else
 * the number of the scope that is full.
 */
const ENTER_TURN = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for index = 2, #KEYS do
  redis.call('ZREMRANGEBYSCORE', KEYS[index], '-inf', now)
  local limit = tonumber(ARGV[3 + index])
  if ARGV[4] ~= '1' and limit and not redis.call('ZSCORE', KEYS[index], ARGV[1])
    and redis.call('ZCARD', KEYS[index]) >= limit then
    return index - 1
  end
end
for index = 2, #KEYS do
  redis.call('ZADD', KEYS[index], now + ARGV[3], ARGV[1])
  if redis.call('PTTL', KEYS[index]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[index], ARGV[3]) end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 0`;

/** Extends a place unless it is another's. KEYS as above. ARGV: turn, holder, milliseconds. */
const RENEW_TURN = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[2] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for index = 2, #KEYS do
  redis.call('ZADD', KEYS[index], now + ARGV[3], ARGV[1])
  if redis.call('PTTL', KEYS[index]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[index], ARGV[3]) end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/** Gives a place up if it is this holder's. KEYS as above. ARGV: turn, holder. */
const LEAVE_TURN = `
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
for index = 2, #KEYS do redis.call('ZREM', KEYS[index], ARGV[1]) end
return 1`;

/**
 * Books an estimate unless a limit is reached. KEYS: the call's state, the day's index of scopes, then each scope's sums.
 * ARGV: seconds for sums, milliseconds for the state, model, tokens, money, share from which to warn, then of each scope
 * its name, its limit of tokens and of money, or ''. Answers: booked?, number of a scope or 0, limit, what is spent of it.
 */
const RESERVE_CALL = `
if redis.call('GET', KEYS[1]) then return {1, 0} end
local near
for index = 3, #KEYS do
  local spent = redis.call('HMGET', KEYS[index], 'tokens', 'money')
  local at = 7 + 3 * (index - 3)
  for place, limit in ipairs({'tokens', 'money'}) do
    local most = tonumber(ARGV[at + place])
    local sum = tonumber(spent[place] or '0')
    if most and sum >= most then return {0, index - 2, limit} end
    local flag = 'warned ' .. ARGV[at] .. ' ' .. limit
    if most and not near and sum >= most * ARGV[6] and redis.call('HEXISTS', KEYS[3], flag) == 0 then
      near = {1, index - 2, limit, spent[place], flag}
    end
  end
end
for index = 3, #KEYS do
  redis.call('HINCRBY', KEYS[index], 'tokens', ARGV[4])
  redis.call('HINCRBY', KEYS[index], 'money', ARGV[5])
  redis.call('HINCRBY', KEYS[index], ARGV[3] .. ' estimated', ARGV[4])
  redis.call('HINCRBY', KEYS[index], ARGV[3] .. ' money', ARGV[5])
  redis.call('EXPIRE', KEYS[index], ARGV[1])
  redis.call('SADD', KEYS[2], ARGV[7 + 3 * (index - 3)])
end
redis.call('EXPIRE', KEYS[2], ARGV[1])
redis.call('SET', KEYS[1], 'reserved', 'PX', ARGV[2])
if not near then return {1, 0} end
redis.call('HSET', KEYS[3], near[5], 1)
return near`;

/**
 * Books what a call took, once. KEYS as above. ARGV: seconds for sums, milliseconds for the state, model, the estimate's
 * tokens and money below zero, all tokens, then money, input, output, cacheRead, cacheWrite and estimated, then each
 * scope's name.
 */
const SETTLE_CALL = `
local state = redis.call('GET', KEYS[1])
if state == 'settled' then return 0 end
local kinds = {'money', 'input', 'output', 'cacheRead', 'cacheWrite', 'estimated'}
for index = 3, #KEYS do
  local sums = KEYS[index]
  if state then
    redis.call('HINCRBY', sums, 'tokens', ARGV[4])
    redis.call('HINCRBY', sums, 'money', ARGV[5])
    redis.call('HINCRBY', sums, ARGV[3] .. ' estimated', ARGV[4])
    redis.call('HINCRBY', sums, ARGV[3] .. ' money', ARGV[5])
  end
  redis.call('HINCRBY', sums, 'tokens', ARGV[6])
  redis.call('HINCRBY', sums, 'money', ARGV[7])
  redis.call('HINCRBY', sums, ARGV[3] .. ' calls', 1)
  for place, kind in ipairs(kinds) do
    redis.call('HINCRBY', sums, ARGV[3] .. ' ' .. kind, ARGV[6 + place])
  end
  redis.call('EXPIRE', sums, ARGV[1])
  redis.call('SADD', KEYS[2], ARGV[10 + index])
end
redis.call('EXPIRE', KEYS[2], ARGV[1])
redis.call('SET', KEYS[1], 'settled', 'PX', ARGV[2])
return 1`;

type Args = (string | number)[];

declare module 'ioredis' {
  interface RedisCommander<Context> {
    enterTurn(keyCount: number, ...keysThenArguments: Args): Result<number, Context>;
    renewTurn(keyCount: number, ...keysThenArguments: Args): Result<number, Context>;
    leaveTurn(keyCount: number, ...keysThenArguments: Args): Result<number, Context>;
    reserveCall(
      keyCount: number,
      ...keysThenArguments: Args
    ): Result<[booked: number, scope: number, limit?: 'tokens' | 'money', spent?: string], Context>;
    settleCall(keyCount: number, ...keysThenArguments: Args): Result<number, Context>;
  }
}

export function defineUsageScripts(redis: Redis): void {
  redis.defineCommand('enterTurn', { lua: ENTER_TURN });
  redis.defineCommand('renewTurn', { lua: RENEW_TURN });
  redis.defineCommand('leaveTurn', { lua: LEAVE_TURN });
  redis.defineCommand('reserveCall', { lua: RESERVE_CALL });
  redis.defineCommand('settleCall', { lua: SETTLE_CALL });
}
