import type { Bound, Clock, LimitHit, Timer, TurnPlace, UsageLedger } from '@tandem/actor-core';

/** A place outlives its process by this much, so that a takeover finds it. */
const PLACE_MS = 30_000;
const RENEW_MS = 10_000;

export interface TurnPlacesDeps {
  readonly ledger: Pick<UsageLedger, 'enter' | 'renew' | 'leave'>;
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
   * Takes a turn's place, and keeps it until the signal aborts. While the ledger is away the turn goes on, and has its
   * place once the ledger is back.
   * @param begun the turn already ran, perhaps elsewhere: its place is taken whatever the bounds say
   * @returns the bound that is full
   */
  async enter(
    turn: string,
    bounds: readonly Bound[],
    begun: boolean,
    signal: AbortSignal,
  ): Promise<LimitHit | undefined> {
    if (this.#held.has(turn) || signal.aborted) return undefined;
    const { ledger, holder, onFault } = this.#deps;
    const place = { turn, holder, bounds };
    try {
      const full = await ledger.enter(place, PLACE_MS, begun);
      if (full) return full;
    } catch (error) {
      onFault(error);
    }
    this.#held.set(turn, place);
    this.#timer ??= this.#deps.clock.after(RENEW_MS, () => void this.#renew());
    if (signal.aborted) this.#leave(place);
    else signal.addEventListener('abort', () => this.#leave(place), { once: true });
    return undefined;
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
