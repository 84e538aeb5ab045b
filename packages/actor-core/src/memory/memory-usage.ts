import type { Clock } from '../ports/clock.ts';
import type {
  Bound,
  CallUsage,
  LedgerCall,
  LimitHit,
  Reserved,
  TurnEntry,
  TurnPlace,
  UsageLedger,
  UsageRow,
} from '../ports/usage.ts';

/** Calls are remembered for so many later ones, to know a repeated booking. */
const REMEMBERED_CALLS = 10_000;
const KEPT_DAYS = 40;

type Totals = { tokens: number; money: number; warned: Set<string>; models: Map<string, UsageRow> };

/** What users and groups use, within this process. */
export class MemoryUsage implements UsageLedger {
  readonly #clock: Clock;
  readonly #days = new Map<string, Map<string, Totals>>();
  readonly #calls = new Map<string, 'reserved' | 'settled'>();
  readonly #places = new Map<string, { holder: string; until: number; scopes: readonly string[] }>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  async renew(places: readonly TurnPlace[], ttlMs: number): Promise<void> {
    this.#dropExpired();
    for (const place of places) {
      const held = this.#places.get(place.turn);
      if (!held || held.holder === place.holder) this.#hold(place, ttlMs);
    }
  }

  async leave({ turn, holder }: TurnPlace): Promise<void> {
    if (this.#places.get(turn)?.holder === holder) this.#places.delete(turn);
  }

  async reserve(call: LedgerCall, warnAt: number, entry?: TurnEntry): Promise<Reserved> {
    const full = entry && this.#enter(entry);
    if (full) return { refused: full };
    if (this.#calls.has(call.id)) return {};
    const limits = call.bounds.flatMap((bound) => this.#limitsOf(call.day, bound));
    const reached = limits.find(({ spent }) => spent >= 1);
    if (reached) return { refused: { scope: reached.scope, limit: reached.limit } };
    const warned = this.#totals(call.day, call.bounds[0]?.scope ?? '').warned;
    const near = limits.find(
      ({ scope, limit, spent }) => spent >= warnAt && !warned.has(`${scope} ${limit}`),
    );
    if (near) warned.add(`${near.scope} ${near.limit}`);
    const { tokens, money } = call.estimate;
    this.#book(call, { ...NOTHING, estimated: tokens, money }, 0);
    this.#remember(call.id, 'reserved');
    return near ? { warning: near } : {};
  }

  async settle(call: LedgerCall, usage: CallUsage): Promise<void> {
    const state = this.#calls.get(call.id);
    if (state === 'settled') return;
    const { tokens, money } = state === 'reserved' ? call.estimate : { tokens: 0, money: 0 };
    this.#book(call, { ...usage, estimated: usage.estimated - tokens, money: usage.money - money }, 1);
    this.#remember(call.id, 'settled');
  }

  async report(day: string): Promise<UsageRow[]> {
    const scopes = [...(this.#days.get(day)?.values() ?? [])];
    return scopes
      .flatMap(({ models }) => [...models.values()])
      .sort((a, b) => a.scope.localeCompare(b.scope) || a.model.localeCompare(b.model));
  }

  #limitsOf(day: string, { scope, tokens, money }: Bound) {
    const totals = this.#totals(day, scope);
    const all = [
      { scope, limit: 'tokens' as const, spent: totals.tokens / (tokens ?? Infinity) },
      { scope, limit: 'money' as const, spent: totals.money / (money ?? Infinity) },
    ];
    return all.filter(({ limit }) => (limit === 'tokens' ? tokens : money) !== undefined);
  }

  #book({ day, model, bounds }: LedgerCall, usage: CallUsage, calls: number): void {
    for (const { scope } of bounds) {
      const totals = this.#totals(day, scope);
      const before = totals.models.get(model) ?? { scope, model, calls: 0, ...NOTHING };
      totals.tokens += usage.input + usage.output + usage.cacheRead + usage.cacheWrite + usage.estimated;
      totals.money += usage.money;
      totals.models.set(model, {
        scope,
        model,
        calls: before.calls + calls,
        input: before.input + usage.input,
        output: before.output + usage.output,
        cacheRead: before.cacheRead + usage.cacheRead,
        cacheWrite: before.cacheWrite + usage.cacheWrite,
        estimated: before.estimated + usage.estimated,
        money: before.money + usage.money,
      });
    }
  }

  #totals(day: string, scope: string): Totals {
    const scopes = this.#days.get(day) ?? new Map<string, Totals>();
    this.#days.set(day, scopes);
    for (const old of this.#days.keys()) {
      if (this.#days.size <= KEPT_DAYS) break;
      this.#days.delete(old);
    }
    const totals = scopes.get(scope) ?? { tokens: 0, money: 0, warned: new Set(), models: new Map() };
    scopes.set(scope, totals);
    return totals;
  }

  #remember(id: string, state: 'reserved' | 'settled'): void {
    this.#calls.set(id, state);
    for (const oldest of this.#calls.keys()) {
      if (this.#calls.size <= REMEMBERED_CALLS) break;
      this.#calls.delete(oldest);
    }
  }

  #enter({ place, ttlMs, force }: TurnEntry): LimitHit | undefined {
    this.#dropExpired();
    if (!force && !this.#places.has(place.turn)) {
      const full = place.bounds.find((bound) => this.#running(bound.scope) >= (bound.turns ?? Infinity));
      if (full) return { scope: full.scope, limit: 'turns' };
    }
    this.#hold(place, ttlMs);
    return undefined;
  }

  #hold({ turn, holder, bounds }: TurnPlace, ttlMs: number): void {
    const until = this.#clock.now() + ttlMs;
    this.#places.set(turn, { holder, until, scopes: bounds.map(({ scope }) => scope) });
  }

  #running(scope: string): number {
    return [...this.#places.values()].filter(({ scopes }) => scopes.includes(scope)).length;
  }

  #dropExpired(): void {
    const now = this.#clock.now();
    for (const [turn, { until }] of this.#places) if (until <= now) this.#places.delete(turn);
  }
}

const NOTHING: CallUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, estimated: 0, money: 0 };
