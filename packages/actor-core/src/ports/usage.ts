/** What a model call took, in tokens by kind. */
export interface CallUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Tokens that no provider has counted (yet): an estimate. */
  readonly estimated: number;
  /** Billionths of the unit of the catalogue's prices, a whole number. */
  readonly money: number;
}

/**
 * Who shares a count, and how far it may go. A call counts in all of its bounds: the first is the user's own, the others
 * are those of its groups. What has no limit is counted all the same.
 */
export interface Bound {
  /** `user:<id>` or `group:<id>`. */
  readonly scope: string;
  /** Turns at the same time. */
  readonly turns?: number | undefined;
  /** Tokens a day, of all kinds. */
  readonly tokens?: number | undefined;
  /** Billionths of the unit of prices, a day. */
  readonly money?: number | undefined;
}

/** A running turn's place among those of its bounds. */
export interface TurnPlace {
  /** Unique among all turns. */
  readonly turn: string;
  /** The process that runs the turn; a takeover changes it. */
  readonly holder: string;
  readonly bounds: readonly Bound[];
}

/** A turn that takes its place with its first model call in a process. */
export interface TurnEntry {
  readonly place: TurnPlace;
  readonly ttlMs: number;
  /** Takes the place whatever the bounds say: for a turn that has already begun. */
  readonly force: boolean;
}

/** A model call on the books. */
export interface LedgerCall {
  /** Unique among all calls: a repeated booking of one call changes nothing. */
  readonly id: string;
  /** The day it counts for, `YYYY-MM-DD` in UTC. */
  readonly day: string;
  /** The model's id in the catalogue. */
  readonly model: string;
  readonly bounds: readonly Bound[];
  /** What it will take at least, as far as one can tell before. */
  readonly estimate: { readonly tokens: number; readonly money: number };
}

/** A limit that was reached, or nearly. */
export interface LimitHit {
  readonly scope: string;
  readonly limit: 'turns' | 'tokens' | 'money';
}

/** What came of a reservation. */
export interface Reserved {
  /** This limit was reached before: nothing was booked, and the call must not be made. */
  readonly refused?: LimitHit | undefined;
  /** Told once a day to each user and limit: this much of it is spent, 0 to 1. */
  readonly warning?: (LimitHit & { readonly spent: number }) | undefined;
}

/** One line of a day's report. */
export interface UsageRow extends CallUsage {
  readonly scope: string;
  readonly model: string;
  readonly calls: number;
}

/**
 * What users and groups use, counted over all processes, so that a crash of one loses nothing.
 *
 * A call is booked with an estimate before it is made, and the estimate is replaced by what the provider counted when it
 * has ended. The estimate of a call whose process died stays: the provider was asked, after all.
 */
export interface UsageLedger {
  /** Extends places that are their holders' or nobody's. @throws TandemError cluster_unavailable */
  renew(places: readonly TurnPlace[], ttlMs: number): Promise<void>;
  /** Gives a place up if it is this holder's. @throws TandemError cluster_unavailable */
  leave(place: TurnPlace): Promise<void>;
  /**
   * Books a call's estimate unless a limit of a day is reached.
   * @param warnAt share of a limit from which users are warned, 0 to 1
   * @param entry takes a place for the call's turn first, in all of the call's bounds or in none; without room nothing is
   *   booked. A turn that has its place keeps it, whoever holds it now; a place taken stays so if the call is refused.
   * @throws TandemError cluster_unavailable
   */
  reserve(call: LedgerCall, warnAt: number, entry?: TurnEntry): Promise<Reserved>;
  /** Books what a call took in place of its estimate, once. @throws TandemError cluster_unavailable */
  settle(call: LedgerCall, usage: CallUsage): Promise<void>;
  /** What was used on a day, sorted by scope and model. @throws TandemError cluster_unavailable */
  report(day: string): Promise<UsageRow[]>;
}
