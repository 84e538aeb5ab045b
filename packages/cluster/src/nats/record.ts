import type { StoredMsg } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import type { LogRecord, Part } from '@tandem/actor-core';
import { headerText, headerValue } from './header-text.ts';
import { decodePart, PART_HEADER } from './part-header.ts';

/** A record that came with the headers that JetStream adds. Its time is read when somebody asks, which few do. */
class HeadedRecord implements LogRecord {
  readonly sequence: number;
  readonly previous: number | undefined;
  readonly part: Part;
  readonly payload: Uint8Array;
  readonly #timeStamp: string;

  constructor(sequence: number, header: (name: string) => string | undefined, payload: Uint8Array) {
    const previous = Number(header('Nats-Last-Sequence') || Number.NaN);
    this.sequence = sequence;
    this.previous = Number.isNaN(previous) ? undefined : previous;
    this.part = decodePart(header(PART_HEADER), sequence);
    this.payload = payload;
    this.#timeStamp = header('Nats-Time-Stamp') ?? '';
  }

  get time(): number {
    return Date.parse(this.#timeStamp) || Date.now();
  }
}

/**
 * A record as the stream sent it on after storing it, which names the one before it, or in an answer to a direct get, which
 * may not; undefined for what is none.
 */
export function headedRecord(message: Msg): LogRecord | undefined {
  const text = headerText(message);
  const header = text
    ? (name: string) => headerValue(text, name)
    : (name: string) => message.headers?.get(name);
  const sequence = Number(header('Nats-Sequence') || 0);
  return sequence === 0 ? undefined : new HeadedRecord(sequence, header, message.data);
}

/** A record as the stream's leader gave it. */
export function storedRecord(message: StoredMsg): LogRecord {
  return {
    sequence: message.seq,
    previous: undefined,
    time: message.time.getTime(),
    part: decodePart(message.header?.get(PART_HEADER), message.seq),
    payload: message.data,
  };
}
