/** An append as it waits for its turn. */
export interface Held<T> {
  readonly seqno: number;
  /** Its place in the command log. */
  readonly sequence: number;
  readonly bytes: number;
  readonly value: T;
}

/** What became of an append that was offered. */
export type Offer = 'accepted' | 'duplicate' | 'full';

export interface InboxLimits {
  /** Most appends that wait behind a gap. */
  readonly maxHeld: number;
  /** Most bytes that wait behind a gap. */
  readonly maxHeldBytes: number;
}

/**
 * Puts one request's appends in order: strictly by seqno from 0, each once (clients send up to 16 at a time, and
 * they arrive in any order).
 *
 * An append logged before the one that opened the generation may be a straggler of the generation before, which
 * numbered from 0 too: it yields to a later append of the same number.
 */
export class Inbox<T> {
  #next: number;
  #held = new Map<number, Held<T>>();
  #heldBytes = 0;
  readonly #limits: InboxLimits;
  readonly #openedAt: number;

  /**
   * @param openedAt the sequence of the command that opened the generation; 0 when there was none before it
   * @param next the first seqno not yet applied (after a takeover, what the journal shows plus 1)
   */
  constructor(openedAt: number, next: number, limits: InboxLimits) {
    this.#openedAt = openedAt;
    this.#next = next;
    this.#limits = limits;
  }

  /** The seqno that is waited for. */
  get next(): number {
    return this.#next;
  }

  /** Whether something waits behind a missing append. */
  get hasGap(): boolean {
    return this.#held.size > 0 && !this.#held.has(this.#next);
  }

  offer(append: Held<T>): Offer {
    if (append.seqno < this.#next) return 'duplicate';
    const known = this.#held.get(append.seqno);
    if (known && !this.#yields(known, append)) return 'duplicate';
    if (!known && append.seqno !== this.#next && this.#held.size >= this.#limits.maxHeld) return 'full';
    const bytes = this.#heldBytes - (known?.bytes ?? 0) + append.bytes;
    if (append.seqno !== this.#next && bytes > this.#limits.maxHeldBytes) return 'full';
    this.#held.set(append.seqno, append);
    this.#heldBytes = bytes;
    return 'accepted';
  }

  /** The next append in order, if it is there. */
  take(): Held<T> | undefined {
    const append = this.#held.get(this.#next);
    if (!append) return undefined;
    this.#held.delete(append.seqno);
    this.#heldBytes -= append.bytes;
    this.#next += 1;
    return append;
  }

  #yields(known: Held<T>, append: Held<T>): boolean {
    return known.sequence < this.#openedAt && append.sequence > this.#openedAt;
  }
}
