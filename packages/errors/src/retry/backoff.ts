import { type Clock, sleep } from './clock.ts';

/** How long to wait before each further try. Milliseconds. */
export interface Pace {
  readonly firstMs: number;
  /** Each wait is twice the one before, up to this. */
  readonly maxMs: number;
  /** The random share of a wait: added to it, or taken off it when negative. A random half is taken off unless told. */
  readonly jitter?: number;
}

export interface BackoffOptions extends Pace {
  readonly clock: Clock;
  /** Randomness in [0, 1); without it nothing is random. */
  readonly entropy?: { random(): number } | undefined;
  /** Most waits; without a bound unless told. */
  readonly retries?: number;
  /** No wait ends later than this, by the clock. */
  readonly until?: number;
}

/**
 * The wait before one further try, in whole milliseconds.
 * @param failures how many tries have failed, from 1
 * @param random in [0, 1)
 */
export function backoffMs({ firstMs, maxMs, jitter = -0.5 }: Pace, failures: number, random: number): number {
  return Math.round(Math.min(maxMs, firstMs * 2 ** (failures - 1)) * (1 + jitter * random));
}

/** The waits between the tries of one undertaking: growing, random, and bounded. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /**
   * How long to wait now, in milliseconds; undefined when that is beyond the bounds.
   * @param atLeastMs what the other side asked for
   */
  next(atLeastMs = 0): number | undefined {
    const { clock, entropy, retries = Number.POSITIVE_INFINITY, until } = this.#options;
    if (this.#failures >= retries) return undefined;
    this.#failures += 1;
    const ms = Math.max(atLeastMs, backoffMs(this.#options, this.#failures, entropy?.random() ?? 0));
    return until !== undefined && clock.now() + ms > until ? undefined : ms;
  }

  /**
   * Waits before the next try.
   * @returns false, at once, when that would be beyond the bounds
   * @throws the signal's reason when it is aborted
   */
  async wait(signal?: AbortSignal, atLeastMs?: number): Promise<boolean> {
    signal?.throwIfAborted();
    const ms = this.next(atLeastMs);
    if (ms === undefined) return false;
    await sleep(this.#options.clock, ms, signal);
    return true;
  }

  /** Something came of a try: the next wait is a first one. */
  reset(): void {
    this.#failures = 0;
  }
}
