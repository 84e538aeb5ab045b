import type { Clock, Timer } from '../ports/clock.ts';
import type { Leases } from '../ports/leases.ts';

export interface LeaseTimes {
  readonly ttlMs: number;
  readonly renewMs: number;
}

export const LEASE_TIMES: LeaseTimes = { ttlMs: 3_000, renewMs: 1_000 };

export interface LeaseObserver {
  /** The store of leases did not answer; the log goes on fencing. */
  leaseStoreFailed?(error: unknown): void;
  /** A lease went to another worker. */
  leaseLost?(name: string): void;
  /** This process stood still for so long, milliseconds: its leases may be another's. */
  stalled?(ms: number): void;
}

interface Held {
  readonly onLost: () => void;
  readonly onTakenAgain: (() => void) | undefined;
}

/** Holds a worker's leases: renews all of them in one round trip, and says which are lost. */
export class LeaseKeeper {
  readonly #leases: Leases;
  readonly #clock: Clock;
  readonly #holder: string;
  readonly #times: LeaseTimes;
  readonly #observer: LeaseObserver;
  readonly #held = new Map<string, Held>();
  #timer: Timer | undefined;
  #lastTick = 0;

  constructor(
    deps: { leases: Leases; clock: Clock; observer?: LeaseObserver; times?: LeaseTimes },
    holder: string,
  ) {
    this.#leases = deps.leases;
    this.#clock = deps.clock;
    this.#observer = deps.observer ?? {};
    this.#times = deps.times ?? LEASE_TIMES;
    this.#holder = holder;
  }

  /**
   * Takes a lease and keeps it until it is released or lost.
   * @param onLost called once when another has it, or when this process stood still long enough for that
   * @param onTakenAgain called each time the lease was found missing and taken again: another may have had it meanwhile
   * @returns false when another holds it
   * @throws TandemError cluster_unavailable
   */
  async acquire(name: string, onLost: () => void, onTakenAgain?: () => void): Promise<boolean> {
    if (!(await this.#leases.acquire(name, this.#holder, this.#times.ttlMs))) return false;
    this.#held.set(name, { onLost, onTakenAgain });
    this.#schedule();
    return true;
  }

  /** Gives a lease up. A store that does not answer lets it expire. */
  async release(name: string): Promise<void> {
    if (!this.#held.delete(name)) return;
    await this.#leases.release(name, this.#holder).catch((error) => this.#observer.leaseStoreFailed?.(error));
  }

  #schedule(): void {
    if (this.#timer) return;
    this.#lastTick = this.#clock.now();
    this.#timer = this.#clock.after(this.#times.renewMs, () => void this.#renew());
  }

  async #renew(): Promise<void> {
    const stoodStill = this.#clock.now() - this.#lastTick;
    if (stoodStill > this.#times.ttlMs) {
      this.#observer.stalled?.(stoodStill);
      for (const name of [...this.#held.keys()]) this.#lose(name);
    }
    if (this.#held.size > 0) await this.#renewAll();
    this.#timer = undefined;
    if (this.#held.size > 0) this.#schedule();
  }

  async #renewAll(): Promise<void> {
    try {
      const states = await this.#leases.renew([...this.#held.keys()], this.#holder, this.#times.ttlMs);
      for (const [name, state] of states) {
        if (state === 'lost') this.#lose(name);
        else if (state === 'missing') await this.#takeAgain(name);
      }
    } catch (error) {
      this.#observer.leaseStoreFailed?.(error);
    }
  }

  async #takeAgain(name: string): Promise<void> {
    if (!this.#held.has(name)) return;
    if (!(await this.#leases.acquire(name, this.#holder, this.#times.ttlMs))) this.#lose(name);
    else this.#held.get(name)?.onTakenAgain?.();
  }

  #lose(name: string): void {
    const held = this.#held.get(name);
    if (!held) return;
    this.#held.delete(name);
    this.#observer.leaseLost?.(name);
    held.onLost();
  }
}
