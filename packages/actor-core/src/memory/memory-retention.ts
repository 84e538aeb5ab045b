import type { Clock, Timer } from '../ports/clock.ts';
import { purgeTurn, type Retention } from '../ports/dispatch.ts';
import type { Log } from '../ports/log.ts';
import type { TurnKey } from '../subject/turn-key.ts';

/** Deletes finished turns by timers of this process. */
export class MemoryRetention implements Retention {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #failed: (error: unknown) => void;
  readonly #timers = new Set<Timer>();

  /** @param options.failed told of a purge that failed; the records are left to their age then */
  constructor(options: {
    readonly clock: Clock;
    readonly log: Log;
    readonly failed?: (error: unknown) => void;
  }) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#failed = options.failed ?? (() => {});
  }

  async schedule(key: TurnKey, upTo: { journal: number; commands: number }, delayMs: number): Promise<void> {
    const timer = this.#clock.after(delayMs, () => {
      this.#timers.delete(timer);
      purgeTurn(this.#log, key, upTo).catch(this.#failed);
    });
    this.#timers.add(timer);
  }

  /** Forgets what is scheduled. */
  close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}
