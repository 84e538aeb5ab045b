import type { Redis, Result } from 'ioredis';

/**
 * Extends a place unless it is another's. KEYS: the turn's holder, then each scope's running turns by the time at which
 * their places expire. ARGV: turn, holder, milliseconds.
 */
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
 * Takes a turn's place in all of its scopes, if a turn is named, and books an estimate, unless a limit is reached.
 * KEYS: the call's state, the day's index of scopes, then each scope's sums; of a turn, its holder, then each scope's
 * running turns. ARGV: number of scopes, seconds for sums, milliseconds for the state, model, tokens, money, share from
 * which to warn, then of each scope its name and its limits of tokens, of money and of turns, or ''; of a turn, its name,
 * holder, milliseconds, and 1 to force. Answers: booked?, number of a scope or 0, limit, what is spent of it.
 */
const RESERVE_CALL = `
local scopes = tonumber(ARGV[1])
local function about(scope, place) return ARGV[3 + 4 * scope + place] end
local turn, holder, ms, force = unpack(ARGV, 8 + 4 * scopes)
if turn then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  for scope = 1, scopes do
    local running = KEYS[3 + scopes + scope]
    redis.call('ZREMRANGEBYSCORE', running, '-inf', now)
    local most = tonumber(about(scope, 4))
    if force ~= '1' and most and not redis.call('ZSCORE', running, turn) and redis.call('ZCARD', running) >= most then
      return {0, scope, 'turns'}
    end
  end
  for scope = 1, scopes do
    local running = KEYS[3 + scopes + scope]
    redis.call('ZADD', running, now + ms, turn)
    if redis.call('PTTL', running) < tonumber(ms) then redis.call('PEXPIRE', running, ms) end
  end
  redis.call('SET', KEYS[3 + scopes], holder, 'PX', ms)
end
if redis.call('GET', KEYS[1]) then return {1, 0} end
local near
for scope = 1, scopes do
  local spent = redis.call('HMGET', KEYS[2 + scope], 'tokens', 'money')
  for place, limit in ipairs({'tokens', 'money'}) do
    local most = tonumber(about(scope, 1 + place))
    local sum = tonumber(spent[place] or '0')
    if most and sum >= most then return {0, scope, limit} end
    local flag = 'warned ' .. about(scope, 1) .. ' ' .. limit
    if most and not near and sum >= most * ARGV[7] and redis.call('HEXISTS', KEYS[3], flag) == 0 then
      near = {1, scope, limit, spent[place], flag}
    end
  end
end
for scope = 1, scopes do
  local sums = KEYS[2 + scope]
  redis.call('HINCRBY', sums, 'tokens', ARGV[5])
  redis.call('HINCRBY', sums, 'money', ARGV[6])
  redis.call('HINCRBY', sums, ARGV[4] .. ' estimated', ARGV[5])
  redis.call('HINCRBY', sums, ARGV[4] .. ' money', ARGV[6])
  redis.call('EXPIRE', sums, ARGV[2])
  redis.call('SADD', KEYS[2], about(scope, 1))
end
redis.call('EXPIRE', KEYS[2], ARGV[2])
redis.call('SET', KEYS[1], 'reserved', 'PX', ARGV[3])
if not near then return {1, 0} end
redis.call('HSET', KEYS[3], near[5], 1)
return near`;

/**
 * Books what a call took, once. KEYS as above, without those of a turn. ARGV: seconds for sums, milliseconds for the state, model, the estimate's
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
    renewTurn(keyCount: number, ...keysThenArguments: Args): Result<number, Context>;
    leaveTurn(keyCount: number, ...keysThenArguments: Args): Result<number, Context>;
    reserveCall(
      keyCount: number,
      ...keysThenArguments: Args
    ): Result<[booked: number, scope: number, limit?: 'turns' | 'tokens' | 'money', spent?: string], Context>;
    settleCall(keyCount: number, ...keysThenArguments: Args): Result<number, Context>;
  }
}

export function defineUsageScripts(redis: Redis): void {
  redis.defineCommand('renewTurn', { lua: RENEW_TURN });
  redis.defineCommand('leaveTurn', { lua: LEAVE_TURN });
  redis.defineCommand('reserveCall', { lua: RESERVE_CALL });
  redis.defineCommand('settleCall', { lua: SETTLE_CALL });
}
