import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';
/** How long a turn goes on without anyone there. Milliseconds. */
export interface PresenceLimits {
  /** After a reader's socket was closed by its client and nothing was appended since (a dropped socket is how clients cancel; a retrying one is back in 2, 4, 9 s). */
  readonly closedMs: number;
  /** After the last sign of anyone otherwise. */
  readonly vanishedMs: number;
  /** A reader not announced for so long counts as gone. */
  readonly staleMs: number;
}

export const PRESENCE_LIMITS: PresenceLimits = { closedMs: 10_000, vanishedMs: 90_000, staleMs: 15_000 };

/**
 * Knows whether anyone still waits for a turn. Pure: all times are passed in, milliseconds of one clock.
 * A takeover makes a new one: what was missed while nobody listened proves nothing.
 */
export class ReaderTracker {
  readonly #limits: PresenceLimits;
  readonly #readers = new Map<string, number>();
  #lastSign: number;
  #closedAt: number | undefined;

  constructor(now: number, limits: PresenceLimits = PRESENCE_LIMITS) {
    this.#limits = limits;
    this.#lastSign = now;
  }

  /** A gateway announced a reader. @returns whether it is a new one */
  announced(readerId: string, now: number): boolean {
    const isNew = !this.#readers.has(readerId);
    this.#readers.set(readerId, now);
    this.#sign(now);
    return isNew;
  }

  /** A gateway ended a reader's response: the client will be back. */
  left(readerId: string, now: number): void {
    this.#readers.delete(readerId);
    this.#sign(now);
  }

  /** The client closed a reader's socket. */
  closed(readerId: string, now: number): void {
    this.#readers.delete(readerId);
    this.#closedAt = now;
  }

  /** A client appended something: it is there, reading or not. */
  appended(now: number): void {
    this.#sign(now);
  }

  /** Time that passed without a connection to the engines, in which nothing could be heard, does not count. */
  deaf(ms: number): void {
    this.#lastSign += ms;
    if (this.#closedAt !== undefined) this.#closedAt += ms;
    for (const [id, seen] of this.#readers) this.#readers.set(id, seen + ms);
  }

  hasReaders(now: number): boolean {
    for (const [id, seen] of this.#readers) {
      if (now - seen <= this.#limits.staleMs) return true;
      this.#readers.delete(id);
    }
    return false;
  }

  /** Whether the turn is to stop for want of anyone who waits for it. */
  isOrphaned(now: number): boolean {
    if (this.hasReaders(now)) return false;
    if (this.#closedAt !== undefined && now - this.#closedAt >= this.#limits.closedMs) return true;
    return now - this.#lastSign >= this.#limits.vanishedMs;
  }

  #sign(now: number): void {
    this.#lastSign = now;
    this.#closedAt = undefined;
  }
}

/** Reads a gateway's announcement. @throws Error when the bytes are none: only gateways publish there */
export function readPresence(payload: Uint8Array): tandem.Presence {
  return fromBinary(tandem.PresenceSchema, payload);
}

/** A gateway's announcement of a reader, or of its leaving. */
export function encodePresence(reader: {
  readerId: string;
  requestId: string;
  leaving: boolean;
}): Uint8Array {
  return toBinary(tandem.PresenceSchema, create(tandem.PresenceSchema, reader));
}
