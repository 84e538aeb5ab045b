import type { Clock } from '@tandem/actor-core';

export interface BudgetLimits {
  /** Most bytes of bodies that the gateway holds at a time. */
  readonly totalBytes: number;
  /** Most of them for one owner. */
  readonly ownerBytes: number;
  /** How long a body may wait for room. Milliseconds. */
  readonly waitMs: number;
}

/** One body's part of the budget. */
export interface Ticket {
  /** Counts bytes that were read. When there is no room, a promise: whether there was some in time. */
  take(bytes: number): Promise<boolean> | undefined;
  /** Gives everything back. */
  release(): void;
}

interface Waiter {
  readonly owner: string;
  readonly bytes: number;
  readonly admit: () => void;
}

/** Bounds the bytes of request bodies that are being read or stored, per gateway and per owner. */
export class BodyBudget {
  readonly #limits: BudgetLimits;
  readonly #clock: Clock;
  readonly #byOwner = new Map<string, number>();
  readonly #waiters = new Set<Waiter>();
  #total = 0;

  constructor(limits: BudgetLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Bytes held now. */
  get total(): number {
    return this.#total;
  }

  ticket(owner: string): Ticket {
    let held = 0;
    let released = false;
    const admit = (bytes: number) => {
      if (released) return;
      held += bytes;
      this.#add(owner, bytes);
    };
    return {
      take: (bytes) => {
        if (this.#fits(owner, bytes)) {
          admit(bytes);
          return undefined;
        }
        return this.#wait(owner, bytes, () => admit(bytes));
      },
      release: () => {
        if (released) return;
        released = true;
        this.#add(owner, -held);
        this.#admitWaiters();
      },
    };
  }

  #fits(owner: string, bytes: number): boolean {
    const ofOwner = this.#byOwner.get(owner) ?? 0;
    return this.#total + bytes <= this.#limits.totalBytes && ofOwner + bytes <= this.#limits.ownerBytes;
  }

  #add(owner: string, bytes: number): void {
    this.#total += bytes;
    const ofOwner = (this.#byOwner.get(owner) ?? 0) + bytes;
    if (ofOwner > 0) this.#byOwner.set(owner, ofOwner);
    else this.#byOwner.delete(owner);
  }

  #wait(owner: string, bytes: number, admit: () => void): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        owner,
        bytes,
        admit: () => {
          timer.cancel();
          admit();
          resolve(true);
        },
      };
      const timer = this.#clock.after(this.#limits.waitMs, () => {
        this.#waiters.delete(waiter);
        resolve(false);
      });
      this.#waiters.add(waiter);
    });
  }

  #admitWaiters(): void {
    for (const waiter of this.#waiters) {
      if (!this.#fits(waiter.owner, waiter.bytes)) continue;
      this.#waiters.delete(waiter);
      waiter.admit();
    }
  }
}
