import type { Bound, Clock, Timer, TurnEntry, TurnPlace, UsageLedger } from '@tandem/actor-core';

/** A place outlives its process by this much, so that a takeover finds it. */
const PLACE_MS = 30_000;
const RENEW_MS = 10_000;

export interface TurnPlacesDeps {
  readonly ledger: Pick<UsageLedger, 'renew' | 'leave'>;
  readonly clock: Clock;
  /** Names this process. */
  readonly holder: string;
  readonly onFault: (error: unknown) => void;
}

/** The places of this process's turns among those that their users may run at a time. */
export class TurnPlaces {
  readonly #deps: TurnPlacesDeps;
  readonly #held = new Map<string, TurnPlace>();
  #timer: Timer | undefined;

  constructor(deps: TurnPlacesDeps) {
    this.#deps = deps;
  }

  /**
   * How a turn takes its place, for the ledger; undefined for one that has it.
   * @param begun the turn already ran, perhaps elsewhere: its place is taken whatever the bounds say
   */
  entryOf(turn: string, bounds: readonly Bound[], begun: boolean): TurnEntry | undefined {
    if (this.#held.has(turn)) return undefined;
    const place = { turn, holder: this.#deps.holder, bounds };
    return { place, ttlMs: PLACE_MS, force: begun };
  }

  /** Keeps a place that was taken, or will be once the ledger is back, until the signal aborts. */
  keep(place: TurnPlace, signal: AbortSignal): void {
    this.#held.set(place.turn, place);
    this.#timer ??= this.#deps.clock.after(RENEW_MS, () => void this.#renew());
    if (signal.aborted) this.#leave(place);
    else signal.addEventListener('abort', () => this.#leave(place), { once: true });
  }

  #leave(place: TurnPlace): void {
    if (!this.#held.delete(place.turn)) return;
    // What cannot be given up expires.
    this.#deps.ledger.leave(place).catch(this.#deps.onFault);
  }

  async #renew(): Promise<void> {
    const { ledger, clock, onFault } = this.#deps;
    if (this.#held.size > 0) await ledger.renew([...this.#held.values()], PLACE_MS).catch(onFault);
    this.#timer = this.#held.size > 0 ? clock.after(RENEW_MS, () => void this.#renew()) : undefined;
  }
}
