import type { Bound, Clock, Entropy, LedgerCall, LimitHit, TurnFacts, UsageLedger } from '@tandem/actor-core';
import type { ModelCall, ModelEvent, Models, Usage } from '@tandem/agent';
import { TandemError } from '@tandem/errors';
import { mayUse, SINGLE_USER_ID, type UserPolicies, type UserPolicy } from '@tandem/platform';
import { Bookkeeper } from './bookkeeper.ts';
import { CallMeter, NO_TOKENS, promptTokens } from './call-meter.ts';
import { dayOf, limitNear, limitReached, MONEY_UNIT, modelRefused } from './refusals.ts';
import { TurnPlaces } from './turn-places.ts';

/** From this share of a day's limit users are warned. */
const WARN_AT = 0.8;

/** A model call before it is made. */
interface PlannedCall {
  readonly facts: TurnFacts;
  readonly call: number;
  readonly request: ModelCall;
  /** The turn is part of another one, which waits for it: only that one counts among those that run. */
  readonly subagent: boolean;
  /** Aborts when this process stops running the turn. */
  readonly turn: AbortSignal;
}

/** A model call that may be made. */
export interface AdmittedCall {
  /** To be shown to the user. */
  readonly notice: string | undefined;
  readonly meter: Pick<CallMeter, 'begin' | 'failed' | 'event'>;
  /** The call is over, however it ended. */
  close(): void;
}

/** Decides whether a turn may make a model call, and counts what it takes. */
export interface CallGate {
  /** @throws TandemError model_not_allowed, turn_limit, budget_spent; cluster_unavailable for users not known yet */
  admit(call: PlannedCall): Promise<AdmittedCall>;
  /** Resolves once what is counted is stored. */
  close(): Promise<void>;
}

/** Told what the gate does; for metrics and logs. */
export interface GateObserver {
  refused?(ownerId: string, limit: LimitHit['limit'] | 'models', scope: string): void;
  warned?(ownerId: string, hit: LimitHit & { readonly spent: number }): void;
  /** What a call took, as booked. `money` in the unit of prices. */
  used?(ownerId: string, model: string, usage: Usage, money: number): void;
  /** The ledger did not answer; the call is made all the same. */
  ledgerFailed?(error: unknown): void;
}

export interface GateDeps {
  readonly ledger: UsageLedger;
  /** Who may do what; undefined: everybody everything. */
  readonly policies: (UserPolicies & { reload(): Promise<unknown> }) | undefined;
  readonly models: Pick<Models, 'find'>;
  /** What a call cost, in the unit of the catalogue's prices; undefined without prices. */
  readonly costOf: (modelId: string, usage: Usage) => number | undefined;
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'random'>;
  readonly workerId: string;
  readonly observer: GateObserver;
}

/** A gate that lets all pass and counts nothing. */
export const OPEN_GATE: CallGate = {
  admit: async () => ({
    notice: undefined,
    meter: { begin: () => {}, failed: () => {}, event: () => {} },
    close: () => {},
  }),
  close: async () => {},
};

/** The gate of a worker. While the ledger is away turns that run go on; what they take is booked once it is back. */
export function createCallGate(deps: GateDeps): CallGate {
  const { ledger, models, clock, entropy, workerId, observer } = deps;
  const onFault = (error: unknown) => observer.ledgerFailed?.(error);
  const places = new TurnPlaces({ ledger, clock, holder: workerId, onFault });
  const books = new Bookkeeper({ ledger, clock, entropy, onFault });

  const refuse = (ownerId: string, hit: LimitHit, bounds: readonly Bound[]): TandemError => {
    observer.refused?.(ownerId, hit.limit, hit.scope);
    return limitReached(hit, bounds, clock.now());
  };

  return {
    async admit(planned) {
      const { facts, call, request, subagent, turn } = planned;
      const { ownerId, generation, requestId } = facts;
      const model = models.find(request.model)?.id;
      // The call itself says what is wrong.
      if (model === undefined) return OPEN_GATE.admit(planned);
      const policy = await policyFor(deps, ownerId);
      if (!mayUse(policy, model)) {
        observer.refused?.(ownerId, 'models', `user:${ownerId}`);
        throw modelRefused(model, policy.models ?? []);
      }
      const bounds = boundsOf(policy);
      const turnName = JSON.stringify([ownerId, requestId, generation]);
      const entry = subagent || turn.aborted ? undefined : places.entryOf(turnName, bounds, call > 1);
      const money = (usage: Usage) => Math.round((deps.costOf(model, usage) ?? 0) * MONEY_UNIT);
      const tokens = promptTokens(request);
      const booked: LedgerCall = {
        id: `${turnName} ${call}`,
        day: dayOf(clock.now()),
        model,
        bounds,
        estimate: { tokens, money: leastMoney(tokens, money) },
      };
      const { refused, warning } = await ledger.reserve(booked, WARN_AT, entry).catch((error) => {
        onFault(error);
        return { refused: undefined, warning: undefined };
      });
      if (entry && refused?.limit !== 'turns') places.keep(entry.place, turn);
      if (refused) throw refuse(ownerId, refused, bounds);
      if (warning) observer.warned?.(ownerId, warning);

      const meter = new CallMeter(tokens, money);
      let settled = false;
      const settle = () => {
        if (!settled) books.settle(booked, meter.total);
        settled = true;
      };
      return {
        notice: warning && limitNear(warning, bounds),
        meter: {
          begin: () => meter.begin(),
          failed: () => meter.failed(),
          event: (event: ModelEvent) => {
            meter.event(event);
            if (event.type !== 'finish') return;
            // Before the turn knows of it: whatever it does next, it finds this booked.
            settle();
            observer.used?.(ownerId, model, event.usage, money(event.usage) / MONEY_UNIT);
          },
        },
        close: settle,
      };
    },
    close: () => books.close(),
  };
}

/** What a prompt costs at least: all of it may come from the provider's cache. */
function leastMoney(tokens: number, money: (usage: Usage) => number): number {
  const [read, cached] = [
    { ...NO_TOKENS, inputTokens: tokens },
    { ...NO_TOKENS, cacheReadTokens: tokens },
  ];
  return Math.min(money(read), money(cached));
}

/** What a user may do. Who is not known here yet may be in a moment: not all processes see a changed file at once. */
async function policyFor({ policies }: GateDeps, ownerId: string): Promise<UserPolicy> {
  if (!policies) return unbound(ownerId);
  const known = policies.policyOf(ownerId);
  if (known) return known;
  // The user of a single key has no entry in the file.
  if (ownerId === SINGLE_USER_ID) return unbound(ownerId);
  await policies.reload();
  const found = policies.policyOf(ownerId);
  if (found) return found;
  throw new TandemError('cluster_unavailable', {
    title: 'The server does not know you yet, or no longer.',
    message: `worker has no user ${ownerId} in its file of users`,
  });
}

function unbound(ownerId: string): UserPolicy {
  return { ownerId, models: undefined, limits: {}, groups: [] };
}

/** Where a user's calls count: the user first, then the groups that have limits. */
function boundsOf({ ownerId, limits, groups }: UserPolicy): Bound[] {
  const bound = (
    scope: string,
    { concurrentTurns, tokensPerDay, moneyPerDay }: UserPolicy['limits'],
  ): Bound => ({
    scope,
    turns: concurrentTurns,
    tokens: tokensPerDay,
    money: moneyPerDay === undefined ? undefined : Math.round(moneyPerDay * MONEY_UNIT),
  });
  return [
    bound(`user:${ownerId}`, limits),
    ...groups.map(({ id, limits: shared }) => bound(`group:${id}`, shared)),
  ];
}
