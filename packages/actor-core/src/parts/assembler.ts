import { TandemError } from '@tandem/errors';
import type { LogRecord } from '../ports/log.ts';

/** A whole message, put together from the records of its set. */
export interface Message {
  /** The sequence of its last record: only then is the message stored. */
  readonly sequence: number;
  readonly firstSequence: number;
  /** The subject's record before the first one, where the store told it. */
  readonly previous: number | undefined;
  /** When the store took the last record, milliseconds since the epoch. */
  readonly time: number;
  readonly set: string;
  readonly payload: Uint8Array;
}

export interface AssemblerOptions {
  /** Most bytes that incomplete messages may hold together; 64 MiB unless told. */
  readonly maxOpenBytes?: number;
  /**
   * A set that got no part for so long, by the store's time, is void: its writer gave up. Must be above the time that
   * a writer keeps trying. 120,000 ms unless told.
   */
  readonly abandonAfterMs?: number;
  /** Whether a record of `set` voids the open set `open`; for journals `higherEpochVoids`. Nothing does unless told. */
  readonly voids?: (set: string, open: string) => boolean;
}

/** Incomplete messages hold more than they may. */
export class AssemblyOverflow extends TandemError {
  override readonly name = 'AssemblyOverflow';
  constructor(maxOpenBytes: number) {
    super('too_many_bytes', { message: `incomplete messages hold more than ${maxOpenBytes} bytes` });
  }
}

interface OpenSet {
  readonly parts: (Uint8Array | undefined)[];
  readonly firstSequence: number;
  readonly previous: number | undefined;
  missing: number;
  bytes: number;
  time: number;
}

const KNOWN_COMPLETE = 1024;

/**
 * Puts the messages of one subject together from its records, given in order. Sets may interleave. A part that is
 * already there is a writer's retry and ignored; whole messages of one record are always passed on, repeated or not.
 */
export class Assembler {
  /** Most subjects never have a message of several parts, and there are many readers: both are made when needed. */
  #open: Map<string, OpenSet> | undefined;
  /** Sets of several parts that are done: a late retry must not open them again. */
  #complete: Set<string> | undefined;
  readonly #maxOpenBytes: number;
  readonly #abandonAfterMs: number;
  readonly #voids: ((set: string, open: string) => boolean) | undefined;
  #openBytes = 0;

  constructor(options: AssemblerOptions = {}) {
    this.#maxOpenBytes = options.maxOpenBytes ?? 64 * 1024 * 1024;
    this.#abandonAfterMs = options.abandonAfterMs ?? 120_000;
    this.#voids = options.voids;
  }

  /**
   * Takes the subject's next record.
   * @returns the message that it completes
   * @throws AssemblyOverflow when it does not fit; the assembler is of no more use then
   */
  push(record: LogRecord): Message | undefined {
    if (this.#open?.size) this.#dropVoid(record, this.#open);
    const { set, count } = record.part;
    if (count === 1) return whole(record);
    if (this.#complete?.has(set)) return undefined;
    const open = this.#open?.get(set) ?? this.#begin(record);
    if (!this.#add(open, record)) return undefined;
    this.#drop(set, open);
    this.#remember(set);
    return {
      sequence: record.sequence,
      firstSequence: open.firstSequence,
      previous: open.previous,
      time: record.time,
      set,
      payload: Buffer.concat(open.parts as Uint8Array[], open.bytes),
    };
  }

  /** The first sequence of the messages that are still incomplete: a reader that starts over must start there. */
  lowestOpenSequence(): number | undefined {
    let lowest: number | undefined;
    for (const { firstSequence } of this.#open?.values() ?? []) {
      if (lowest === undefined || firstSequence < lowest) lowest = firstSequence;
    }
    return lowest;
  }

  /** Forgets all incomplete messages. */
  voidOpenSets(): void {
    this.#open = undefined;
    this.#openBytes = 0;
  }

  #begin(record: LogRecord): OpenSet {
    const open: OpenSet = {
      parts: new Array(record.part.count),
      firstSequence: record.sequence,
      previous: record.previous,
      missing: record.part.count,
      bytes: 0,
      time: record.time,
    };
    this.#open ??= new Map();
    this.#open.set(record.part.set, open);
    return open;
  }

  /** Whether the set is now whole. */
  #add(open: OpenSet, { part, payload, time }: LogRecord): boolean {
    open.time = time;
    if (part.index >= open.parts.length || open.parts[part.index] !== undefined) return false;
    this.#openBytes += payload.length;
    if (this.#openBytes > this.#maxOpenBytes) throw new AssemblyOverflow(this.#maxOpenBytes);
    open.parts[part.index] = payload;
    open.bytes += payload.length;
    open.missing -= 1;
    return open.missing === 0;
  }

  #drop(set: string, open: OpenSet): void {
    this.#open?.delete(set);
    this.#openBytes -= open.bytes;
  }

  #dropVoid(record: LogRecord, sets: Map<string, OpenSet>): void {
    for (const [set, open] of sets) {
      const abandoned = record.time - open.time > this.#abandonAfterMs;
      if (abandoned || (set !== record.part.set && this.#voids?.(record.part.set, set)))
        this.#drop(set, open);
    }
  }

  #remember(set: string): void {
    this.#complete ??= new Set();
    this.#complete.add(set);
    if (this.#complete.size <= KNOWN_COMPLETE) return;
    for (const oldest of this.#complete) {
      this.#complete.delete(oldest);
      break;
    }
  }
}

function whole({ sequence, previous, time, part, payload }: LogRecord): Message {
  return { sequence, firstSequence: sequence, previous, time, set: part.set, payload };
}

/**
 * Cuts a message into pieces that one record each can hold. They share the message's memory.
 * @param maxRecordBytes the log's limit, at least 1
 * @returns at least one piece; an empty message is one empty piece
 */
export function splitMessage(payload: Uint8Array, maxRecordBytes: number): Uint8Array[] {
  if (payload.length <= maxRecordBytes) return [payload];
  const parts: Uint8Array[] = [];
  for (let start = 0; start < payload.length; start += maxRecordBytes) {
    parts.push(payload.subarray(start, start + maxRecordBytes));
  }
  return parts;
}
