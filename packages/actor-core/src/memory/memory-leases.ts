import type { Clock } from '../ports/clock.ts';
import type { LeaseState, Leases } from '../ports/leases.ts';

interface Held {
  readonly holder: string;
  readonly until: number;
}

/** Leases within this process. */
export class MemoryLeases implements Leases {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();

  constructor({ clock }: { readonly clock: Clock }) {
    this.#clock = clock;
  }

  async acquire(name: string, holder: string, ttlMs: number): Promise<boolean> {
    const held = this.#living(name);
    if (held && held.holder !== holder) return false;
    this.#held.set(name, { holder, until: this.#clock.now() + ttlMs });
    return true;
  }

  async renew(names: readonly string[], holder: string, ttlMs: number): Promise<Map<string, LeaseState>> {
    const until = this.#clock.now() + ttlMs;
    const states = new Map<string, LeaseState>();
    for (const name of names) {
      const held = this.#living(name);
      states.set(name, !held ? 'missing' : held.holder === holder ? 'held' : 'lost');
      if (held?.holder === holder) this.#held.set(name, { holder, until });
    }
    return states;
  }

  async release(name: string, holder: string): Promise<void> {
    if (this.#living(name)?.holder === holder) this.#held.delete(name);
  }

  #living(name: string): Held | undefined {
    const held = this.#held.get(name);
    if (held && held.until > this.#clock.now()) return held;
    this.#held.delete(name);
    return undefined;
  }
}
