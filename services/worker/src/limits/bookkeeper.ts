import type { CallUsage, Clock, LedgerCall, UsageLedger } from '@tandem/actor-core';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
/** Calls that wait for the ledger to come back; of what is beyond it, the estimate stays. */
const MOST_WAITING = 10_000;

export interface BookkeeperDeps {
  readonly ledger: Pick<UsageLedger, 'settle'>;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

/** Books what calls took, and goes on trying while the ledger is away: a turn never waits for it. */
export class Bookkeeper {
  readonly #deps: BookkeeperDeps;
  readonly #waiting = new Set<Promise<void>>();
  readonly #closing = Promise.withResolvers<void>();
  #closed = false;

  constructor(deps: BookkeeperDeps) {
    this.#deps = deps;
  }

  settle(call: LedgerCall, usage: CallUsage): void {
    const { onFault } = this.#deps;
    if (this.#waiting.size >= MOST_WAITING) {
      onFault(new Error('too many calls wait to be booked'));
      return;
    }
    const booking: Promise<void> = this.#settle(call, usage).finally(() => this.#waiting.delete(booking));
    this.#waiting.add(booking);
  }

  /** Resolves once all is booked, or after one more try. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.resolve();
    await Promise.all(this.#waiting);
  }

  async #settle(call: LedgerCall, usage: CallUsage): Promise<void> {
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(2 * delay, LONGEST_DELAY_MS)) {
      try {
        return await this.#deps.ledger.settle(call, usage);
      } catch (error) {
        this.#deps.onFault(error);
        if (this.#closed) return;
      }
      const delayed = Promise.withResolvers<void>();
      const timer = this.#deps.clock.after(delay, delayed.resolve);
      await Promise.race([delayed.promise, this.#closing.promise]);
      timer.cancel();
    }
  }
}
