/** A command's place in its log, and when it was stored. */
interface Logged {
  readonly sequence: number;
  readonly time: number;
}

/** What is known of the generation before the one that is taken up. */
export interface Predecessor {
  /** Commands up to here were its own; 0 when there was none. */
  readonly consumed: number;
  /** By request, the seqno behind the last that it applied; undefined when its entries are gone. */
  readonly applied: ReadonlyMap<string, number> | undefined;
  /** How long after its end a generation's logs are kept, milliseconds: what is left of a purged one is older. */
  readonly keptMs: number;
}

/**
 * Tells which appends, logged before the one that opens a generation, are late ones of the generation before. A client
 * that uses a request id again has had all its appends answered before; so in the log the late ones come first, and go
 * on where that generation stopped to apply, while those of the new one begin with low numbers.
 */
export class Stragglers {
  readonly #opening: Logged;
  readonly #before: Predecessor;
  /** Requests whose appends have begun anew. */
  readonly #begun = new Set<string>();

  constructor(opening: Logged, before: Predecessor) {
    this.#opening = opening;
    this.#before = before;
  }

  /** Takes the appends behind what was consumed, in the order of the log. */
  includes(requestId: string, seqno: number, { sequence, time }: Logged): boolean {
    const { applied, keptMs } = this.#before;
    if (sequence >= this.#opening.sequence) return false;
    // What a client says while a first message of the largest size is uploaded is not as old.
    if (!applied) return time < this.#opening.time - (keptMs * 2) / 3;
    const stoppedAt = applied.get(requestId);
    if (stoppedAt === undefined || seqno < stoppedAt) this.#begun.add(requestId);
    return !this.#begun.has(requestId);
  }
}
