import type { Clock } from '../ports/clock.ts';
import type { SignalSubscription, Signals } from '../ports/signals.ts';

type Handler = (payload: Uint8Array) => void;

/** Signals within this process, handed over by the clock. */
export class MemorySignals implements Signals {
  readonly connected: boolean = true;
  readonly #clock: Clock;
  readonly #handlers = new Map<string, Set<{ handle: Handler }>>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  publish(subject: string, payload: Uint8Array): void {
    if (!this.#handlers.has(subject)) return;
    const copy = Uint8Array.from(payload);
    this.#clock.after(0, () => {
      for (const { handle } of this.#handlers.get(subject) ?? []) handle(copy);
    });
  }

  subscribe(subject: string, handler: Handler): SignalSubscription {
    const entry = { handle: handler };
    const handlers = this.#handlers.get(subject) ?? new Set();
    this.#handlers.set(subject, handlers.add(entry));
    return {
      close: () => {
        handlers.delete(entry);
        if (handlers.size === 0 && this.#handlers.get(subject) === handlers) this.#handlers.delete(subject);
      },
    };
  }
}
