import type { LogRecord } from '../ports/log.ts';

/** Live records that wait for their turn, up to a bound of bytes. */
export class LiveBuffer {
  readonly #maxBytes: number;
  #records: LogRecord[] = [];
  #next = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns false when there is no room: the record was not taken */
  add(record: LogRecord): boolean {
    const bytes = this.#bytes + record.payload.length + RECORD_BYTES;
    if (bytes > this.#maxBytes) return false;
    this.#bytes = bytes;
    this.#records.push(record);
    return true;
  }

  first(): LogRecord | undefined {
    return this.#records[this.#next];
  }

  removeFirst(): void {
    const record = this.#records[this.#next++];
    this.#bytes -= (record?.payload.length ?? 0) + RECORD_BYTES;
    if (this.#next === this.#records.length) this.clear();
  }

  clear(): void {
    this.#records = [];
    this.#next = 0;
    this.#bytes = 0;
  }
}

/** About what a record takes beside its payload. */
const RECORD_BYTES = 200;
