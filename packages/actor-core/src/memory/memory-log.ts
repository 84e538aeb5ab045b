import type { Clock } from '../ports/clock.ts';
import type { AppendOptions, LiveHandler, Log, LogRecord, LogSubscription, Part } from '../ports/log.ts';
import { LogConflict, LogFull } from '../ports/log-errors.ts';

export interface MemoryLogOptions {
  readonly clock: Clock;
  /** Largest payload of one record; 1 MiB unless told. */
  readonly maxRecordBytes?: number;
  /** Most bytes that all records hold together; 256 MiB unless told. */
  readonly maxBytes?: number;
  /** Records older than this may be dropped, milliseconds; 24 h unless told. */
  readonly maxAgeMs?: number;
  /** Most bytes of payload that one `read` answers with, a single larger record aside; 512 KiB unless told. */
  readonly maxReadBytes?: number;
}

interface Subject {
  records: LogRecord[];
}

/** About what a record takes beside its payload. */
const RECORD_BYTES = 200;
const SWEEPS_PER_AGE = 60;
const SWEEP_PAUSE_MS = 1000;

/** A log in this process, gone with it. Records reach subscribers by the clock, in order, after the append. */
export class MemoryLog implements Log {
  readonly maxRecordBytes: number;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  readonly #maxReadBytes: number;
  readonly #subjects = new Map<string, Subject>();
  readonly #handlers = new Map<string, Set<LiveHandler>>();
  #undelivered: { subject: string; record: LogRecord }[] = [];
  #sequence = 0;
  #bytes = 0;
  #sweptAt: number;

  constructor(options: MemoryLogOptions) {
    this.#clock = options.clock;
    this.maxRecordBytes = options.maxRecordBytes ?? 1024 * 1024;
    this.#maxBytes = options.maxBytes ?? 256 * 1024 * 1024;
    this.#maxAgeMs = options.maxAgeMs ?? 24 * 60 * 60 * 1000;
    this.#maxReadBytes = options.maxReadBytes ?? 512 * 1024;
    this.#sweptAt = this.#clock.now();
  }

  async append(
    subject: string,
    part: Part,
    payload: Uint8Array,
    options: AppendOptions = {},
  ): Promise<{ sequence: number }> {
    if (payload.length > this.maxRecordBytes)
      throw new RangeError('the record is larger than maxRecordBytes');
    this.#sweep(payload.length);
    const previous = this.#subjects.get(subject)?.records.at(-1)?.sequence ?? 0;
    if (options.expectedLast !== undefined && options.expectedLast !== previous) throw new LogConflict();
    if (this.#bytes + size(payload) > this.#maxBytes) throw new LogFull();

    const sequence = ++this.#sequence;
    // The caller may go on to use its buffer.
    const record: LogRecord = {
      sequence,
      previous,
      time: this.#clock.now(),
      part: { ...part },
      payload: Uint8Array.from(payload),
    };
    const entry = this.#subjects.get(subject);
    if (entry) entry.records.push(record);
    else this.#subjects.set(subject, { records: [record] });
    this.#bytes += size(payload);
    this.#deliver(subject, record);
    return { sequence };
  }

  async last(subject: string): Promise<LogRecord | undefined> {
    return this.#subjects.get(subject)?.records.at(-1);
  }

  async read(subject: string, after: number, limit: number): Promise<LogRecord[]> {
    const records = this.#subjects.get(subject)?.records ?? [];
    const page: LogRecord[] = [];
    let bytes = 0;
    for (let index = firstBehind(records, after); index < records.length && page.length < limit; index++) {
      const record = records[index] as LogRecord;
      bytes += record.payload.length;
      if (page.length > 0 && bytes > this.#maxReadBytes) break;
      page.push(record);
    }
    return page;
  }

  async subscribe(subject: string, handler: LiveHandler): Promise<LogSubscription> {
    const handlers = this.#handlers.get(subject) ?? new Set();
    this.#handlers.set(subject, handlers.add(handler));
    return {
      close: () => {
        handlers.delete(handler);
        if (handlers.size === 0 && this.#handlers.get(subject) === handlers) this.#handlers.delete(subject);
      },
    };
  }

  async purge(subject: string, upTo: number): Promise<void> {
    this.#remove(subject, (record) => record.sequence <= upTo);
  }

  fullness(_subject: string): number {
    return this.#bytes / this.#maxBytes;
  }

  /** The subjects that hold records, for tests and reports. */
  subjects(): string[] {
    return [...this.#subjects.keys()];
  }

  #deliver(subject: string, record: LogRecord): void {
    if (!this.#handlers.has(subject)) return;
    this.#undelivered.push({ subject, record });
    if (this.#undelivered.length > 1) return;
    this.#clock.after(0, () => {
      const deliveries = this.#undelivered;
      this.#undelivered = [];
      for (const delivery of deliveries) {
        for (const handler of this.#handlers.get(delivery.subject) ?? []) handler.record(delivery.record);
      }
    });
  }

  /** Drops what is too old, now and then, and whenever there is no room for `incoming` more bytes. */
  #sweep(incoming: number): void {
    const now = this.#clock.now();
    const pressed = this.#bytes + incoming + RECORD_BYTES > this.#maxBytes;
    if (now - this.#sweptAt < (pressed ? SWEEP_PAUSE_MS : this.#maxAgeMs / SWEEPS_PER_AGE)) return;
    this.#sweptAt = now;
    const oldest = now - this.#maxAgeMs;
    for (const subject of this.#subjects.keys()) this.#remove(subject, (record) => record.time < oldest);
  }

  /** Removes the subject's records from the first on, as long as `gone` holds. */
  #remove(subject: string, gone: (record: LogRecord) => boolean): void {
    const entry = this.#subjects.get(subject);
    if (!entry) return;
    let count = 0;
    for (const record of entry.records) {
      if (!gone(record)) break;
      this.#bytes -= size(record.payload);
      count += 1;
    }
    if (count === 0) return;
    entry.records = entry.records.slice(count);
    if (entry.records.length === 0) this.#subjects.delete(subject);
  }
}

function size(payload: Uint8Array): number {
  return payload.length + RECORD_BYTES;
}

/** The index of the first record with a sequence above `after`. */
function firstBehind(records: readonly LogRecord[], after: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((records[middle] as LogRecord).sequence <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
