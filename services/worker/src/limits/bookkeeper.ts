import type { CallUsage, Clock, Entropy, LedgerCall, UsageLedger } from '@tandem/actor-core';
import { retry } from '@tandem/errors';

const PACE = { firstMs: 250, maxMs: 10_000 };
/** Calls that wait for the ledger to come back; of what is beyond it, the estimate stays. */
const MOST_WAITING = 10_000;

export interface BookkeeperDeps {
  readonly ledger: Pick<UsageLedger, 'settle'>;
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'random'>;
  readonly onFault: (error: unknown) => void;
}

/** Books what calls took, and goes on trying while the ledger is away: a turn never waits for it. */
export class Bookkeeper {
  readonly #deps: BookkeeperDeps;
  readonly #waiting = new Set<Promise<void>>();
  readonly #closing = new AbortController();

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
    this.#closing.abort();
    await Promise.all(this.#waiting);
  }

  async #settle(call: LedgerCall, usage: CallUsage): Promise<void> {
    const { ledger, onFault, ...time } = this.#deps;
    const book = () => ledger.settle(call, usage);
    const { signal } = this.#closing;
    const untilClosed = { ...PACE, ...time, signal, onFailure: onFault, worthRetrying: () => true };
    await retry(book, untilClosed).catch(book).catch(onFault);
  }
}
