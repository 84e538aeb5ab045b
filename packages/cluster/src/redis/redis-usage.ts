import type {
  CallUsage,
  LedgerCall,
  Reserved,
  TurnEntry,
  TurnPlace,
  UsageLedger,
  UsageRow,
} from '@tandem/actor-core';
import type { Redis } from 'ioredis';
import { EngineUnavailable } from '../cluster-errors.ts';
import type { ClusterObserver } from '../observer.ts';
import { openRedisLink } from './redis-link.ts';
import { defineUsageScripts } from './usage-scripts.ts';

const PREFIX = 'tandem:usage:';
/** Sums stay for reports. */
const SUMS_SECONDS = 40 * 24 * 60 * 60;
/** Longer than any turn lives. */
const RESERVED_MS = 24 * 60 * 60 * 1000;
/** Longer than anybody tries to settle a call again. */
const SETTLED_MS = 60 * 60 * 1000;

/** What users and groups use, in Redis: sums as hashes by day and scope, running turns as sorted sets. */
export class RedisUsage implements UsageLedger {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
    defineUsageScripts(redis);
  }

  async renew(places: readonly TurnPlace[], ttlMs: number): Promise<void> {
    await answered(
      Promise.all(
        places.map((place) => {
          const keys = placeKeys(place);
          return this.#redis.renewTurn(keys.length, ...keys, place.turn, place.holder, ttlMs);
        }),
      ),
    );
  }

  async leave(place: TurnPlace): Promise<void> {
    const keys = placeKeys(place);
    await answered(this.#redis.leaveTurn(keys.length, ...keys, place.turn, place.holder));
  }

  async reserve(call: LedgerCall, warnAt: number, entry?: TurnEntry): Promise<Reserved> {
    const keys = entry ? [...callKeys(call), ...placeKeys(entry.place)] : callKeys(call);
    const { tokens, money } = call.estimate;
    const bounds = call.bounds.flatMap((bound) => [
      bound.scope,
      bound.tokens ?? '',
      bound.money ?? '',
      bound.turns ?? '',
    ]);
    const turn = entry ? [entry.place.turn, entry.place.holder, entry.ttlMs, entry.force ? 1 : 0] : [];
    const booking = [SUMS_SECONDS, RESERVED_MS, call.model, tokens, money, warnAt];
    const args = [call.bounds.length, ...booking, ...bounds, ...turn];
    const [booked, number, limit, spent] = await answered(
      this.#redis.reserveCall(keys.length, ...keys, ...args),
    );
    const bound = call.bounds[number - 1];
    if (!bound || !limit) return {};
    const hit = { scope: bound.scope, limit };
    if (!booked) return { refused: hit };
    return { warning: { ...hit, spent: Number(spent) / (bound[limit] ?? Number(spent)) } };
  }

  async settle(call: LedgerCall, usage: CallUsage): Promise<void> {
    const keys = callKeys(call);
    const { tokens, money } = call.estimate;
    const { input, output, cacheRead, cacheWrite, estimated } = usage;
    const all = input + output + cacheRead + cacheWrite + estimated;
    const amounts = [-tokens, -money, all, usage.money, input, output, cacheRead, cacheWrite, estimated];
    const scopes = call.bounds.map(({ scope }) => scope);
    const args = [SUMS_SECONDS, SETTLED_MS, call.model, ...amounts, ...scopes];
    await answered(this.#redis.settleCall(keys.length, ...keys, ...args));
  }

  async report(day: string): Promise<UsageRow[]> {
    const scopes = (await answered(this.#redis.smembers(indexKey(day)))).sort((a, b) => a.localeCompare(b));
    const sums = await answered(Promise.all(scopes.map((scope) => this.#redis.hgetall(sumsKey(day, scope)))));
    return scopes.flatMap((scope, at) => rowsOf(scope, sums[at] ?? {}));
  }
}

/**
 * The ledger of usage alone, for reports.
 * @param url `redis://` or `rediss://`, with credentials and database number
 * @throws EngineUnavailable when Redis does not answer for 30 s
 */
export async function openUsage(
  url: string,
  service: string,
  observer: ClusterObserver = {},
): Promise<{ readonly usage: UsageLedger; close(): Promise<void> }> {
  const redis = await openRedisLink({ url }, service, observer);
  return { usage: new RedisUsage(redis.prompt), close: () => redis.close() };
}

function placeKeys({ turn, bounds }: TurnPlace): string[] {
  return [`${PREFIX}turn:${turn}`, ...bounds.map(({ scope }) => `${PREFIX}turns:${scope}`)];
}

function callKeys({ id, day, bounds }: LedgerCall): string[] {
  return [`${PREFIX}call:${id}`, indexKey(day), ...bounds.map(({ scope }) => sumsKey(day, scope))];
}

function indexKey(day: string): string {
  return `${PREFIX}day:${day}`;
}

function sumsKey(day: string, scope: string): string {
  return `${PREFIX}day:${day}:${scope}`;
}

const KINDS = ['calls', 'input', 'output', 'cacheRead', 'cacheWrite', 'estimated', 'money'] as const;

/** A scope's lines: its sums are named `<model> <kind>`, and models' ids hold no blank. */
function rowsOf(scope: string, sums: Readonly<Record<string, string>>): UsageRow[] {
  const models = Object.keys(sums).flatMap((name) => (name.endsWith(' money') ? [name.slice(0, -6)] : []));
  return models
    .sort((a, b) => a.localeCompare(b))
    .map((model) => {
      const amounts = KINDS.map((kind) => [kind, Number(sums[`${model} ${kind}`] ?? 0)] as const);
      const { calls, input, output, cacheRead, cacheWrite, estimated, money } = Object.fromEntries(
        amounts,
      ) as Record<(typeof KINDS)[number], number>;
      return { scope, model, calls, input, output, cacheRead, cacheWrite, estimated, money };
    });
}

async function answered<Result>(command: Promise<Result>): Promise<Result> {
  try {
    return await command;
  } catch (error) {
    throw new EngineUnavailable('Redis did not answer', error);
  }
}
