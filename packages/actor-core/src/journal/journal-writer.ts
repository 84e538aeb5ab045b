import { create, toBinary } from '@bufbuild/protobuf';
import { TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';
import type { Position } from '../actor/logic.ts';
import { splitMessage } from '../parts/assembler.ts';
import type { Clock, Entropy } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { epochOfSet, journalSet } from './entry.ts';
import { fencedAppend } from './fenced-append.ts';

export interface JournalPlace {
  readonly generation: number;
  readonly epoch: number;
  /** Tells this writer from another that acquires the same epoch. */
  readonly writerId: string;
  /** The journal subject's last sequence. */
  readonly lastSequence: number;
  /** The generation's last entry number (0: none yet). */
  readonly lastNumber: number;
  /** The generation before has ended, so that its entries may be purged before the first of this writer is stored. */
  readonly mayBePurged: boolean;
}

export interface JournalObserver {
  /** An entry is stored: its items and bytes, and how long the log took. */
  entryStored?(items: number, bytes: number, ms: number): void;
}

interface Batch {
  readonly number: number;
  /** When its first items were decided. */
  readonly at: number;
  readonly items: tandem.Item[];
  readonly after: (() => void)[];
  bytes: number;
}

/** An entry takes no further step beyond this, so that readers wait for little. */
const ENTRY_BYTES = 128 * 1024;

/**
 * Writes one generation's entries, as one epoch. What is pushed while an entry is on its way goes out together in the
 * next: a lone step leaves at once, a burst as a batch. Callbacks run once their items are stored, in order.
 */
export class JournalWriter {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #entropy: Pick<Entropy, 'random'>;
  readonly #subject: string;
  readonly #place: JournalPlace;
  readonly #observer: JournalObserver;
  readonly #batches: Batch[] = [];
  readonly #onFault: (error: unknown) => void;
  #lastSequence: number;
  #mayBePurged: boolean;
  #lastNumber: number;
  #writing = false;
  #inFlight: Batch | undefined;
  readonly #stop = new AbortController();
  #idle: (() => void)[] = [];

  /** @param onFault called once when the writer can't go on: `Deposed`, or a fault of the log that waiting won't mend */
  constructor(
    deps: { log: Log; clock: Clock; entropy: Pick<Entropy, 'random'>; observer?: JournalObserver },
    subject: string,
    place: JournalPlace,
    onFault: (error: unknown) => void,
  ) {
    this.#log = deps.log;
    this.#clock = deps.clock;
    this.#entropy = deps.entropy;
    this.#observer = deps.observer ?? {};
    this.#subject = subject;
    this.#place = place;
    this.#lastSequence = place.lastSequence;
    this.#mayBePurged = place.mayBePurged;
    this.#lastNumber = place.lastNumber;
    this.#onFault = onFault;
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** The sequence of the last entry stored. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Where the next pushed item will stand. */
  get nextPosition(): Position {
    const open = this.#openBatch();
    return open ? { entry: open.number, item: open.items.length } : { entry: this.#lastNumber + 1, item: 0 };
  }

  /** Adds the items of one step, all into one entry. `after` runs once they, and all pushed before, are stored. */
  push(items: readonly tandem.Item[], bytes: number, after?: () => void): void {
    if (this.#stopped) return;
    const batch = this.#openBatch() ?? this.#newBatch();
    batch.items.push(...items);
    batch.bytes += bytes;
    if (after) batch.after.push(after);
    void this.#write();
  }

  /** Runs a callback once all that was pushed so far is stored. */
  afterStored(run: () => void): void {
    const last = this.#batches.at(-1);
    if (last) last.after.push(run);
    else if (!this.#stopped) run();
  }

  /** Resolves when nothing is left to write (or the writer has stopped). */
  async flushed(): Promise<void> {
    if (this.#stopped || (!this.#writing && this.#batches.length === 0)) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Stops with a fault if another writer has acquired a later epoch. @throws LogUnavailable */
  async verify(): Promise<void> {
    const last = await this.#log.last(this.#subject);
    const epoch = last ? epochOfSet(last.part.set) : 0;
    if (this.#stopped || epoch <= this.#place.epoch) return;
    this.#onFault(new Deposed(epoch));
    this.stop();
  }

  /** Writes nothing more; what is on its way may still be stored. */
  stop(): void {
    this.#stop.abort();
    this.#batches.length = 0;
    this.#wake();
  }

  /** The batch that still takes items: the last one, unless it is on its way or full. */
  #openBatch(): Batch | undefined {
    const last = this.#batches.at(-1);
    return !last || last === this.#inFlight || last.bytes >= ENTRY_BYTES ? undefined : last;
  }

  #newBatch(): Batch {
    this.#lastNumber += 1;
    const at = this.#clock.now();
    const batch: Batch = { number: this.#lastNumber, at, items: [], after: [], bytes: 0 };
    this.#batches.push(batch);
    return batch;
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    try {
      // A microtask's grace lets one event's steps share an entry.
      await Promise.resolve();
      for (let batch = this.#batches[0]; batch && !this.#stopped; batch = this.#batches[0]) {
        this.#inFlight = batch;
        await this.#store(batch);
        this.#inFlight = undefined;
        if (this.#stopped) break;
        this.#batches.shift();
        for (const run of batch.after) run();
      }
    } catch (error) {
      if (!this.#stopped) this.#onFault(error);
      this.stop();
    } finally {
      this.#writing = false;
      this.#inFlight = undefined;
      this.#wake();
    }
  }

  async #store(batch: Batch): Promise<void> {
    const began = this.#clock.now();
    const { generation, epoch, writerId } = this.#place;
    const payload = toBinary(
      tandem.EntrySchema,
      create(tandem.EntrySchema, {
        generation: BigInt(generation),
        epoch: BigInt(epoch),
        number: BigInt(batch.number),
        atMs: BigInt(batch.at),
        items: batch.items,
      }),
    );
    const set = journalSet(epoch, batch.number, writerId);
    const pieces = splitMessage(payload, this.#log.maxRecordBytes);
    for (const [index, piece] of pieces.entries()) {
      const result = await fencedAppend(
        this.#log,
        this.#subject,
        { set, index, count: pieces.length },
        piece,
        {
          clock: this.#clock,
          entropy: this.#entropy,
          expectedLast: this.#lastSequence,
          mayBePurged: this.#mayBePurged,
          signal: this.#stop.signal,
        },
      );
      if (result.kind === 'refused') throw new Deposed(result.last ? epochOfSet(result.last.part.set) : 0);
      this.#lastSequence = result.sequence;
      this.#mayBePurged = false;
    }
    this.#observer.entryStored?.(batch.items.length, payload.length, this.#clock.now() - began);
  }

  #wake(): void {
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }
}

/** Another writer acquired a later epoch of the journal: this one must stop, silently, whatever it was doing. */
export class Deposed extends TandemError {
  override readonly name = 'Deposed';
  constructor(byEpoch: number) {
    super('internal', { message: `the journal belongs to epoch ${byEpoch}` });
  }
}
