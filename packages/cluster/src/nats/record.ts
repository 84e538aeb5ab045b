import type { Msg } from '@nats-io/transport-node';
import type { LogRecord, Part } from '@tandem/actor-core';
import { headerText, headerValue } from './header-text.ts';

/** A record as the stream sent it on after storing it, naming the one before it; undefined for what is none. */
export function republishedRecord(message: Msg): LogRecord | undefined {
  const header = headerOf(message);
  const previous = Number(header('Nats-Last-Sequence') || Number.NaN);
  return recordOf(message, header, Number.isNaN(previous) ? undefined : previous);
}

/** A record in an answer to a direct get; undefined for what is none. */
export function directRecord(message: Msg): LogRecord | undefined {
  return recordOf(message, headerOf(message), undefined);
}

type Header = (name: string) => string | undefined;

function headerOf(message: Msg): Header {
  const text = headerText(message);
  return text === undefined ? (name) => message.headers?.get(name) : (name) => headerValue(text, name);
}

function recordOf(message: Msg, header: Header, previous: number | undefined): LogRecord | undefined {
  const sequence = Number(header('Nats-Sequence') || 0);
  if (sequence === 0) return undefined;
  const part = decodePart(header(PART_HEADER), sequence);
  return new HeadedRecord(sequence, previous, part, message.data, header('Nats-Time-Stamp') ?? '');
}

/** Reads its time when somebody asks, which few do. */
class HeadedRecord implements LogRecord {
  readonly sequence: number;
  readonly previous: number | undefined;
  readonly part: Part;
  readonly payload: Uint8Array;
  readonly #timeStamp: string;

  constructor(
    sequence: number,
    previous: number | undefined,
    part: Part,
    payload: Uint8Array,
    timeStamp: string,
  ) {
    this.sequence = sequence;
    this.previous = previous;
    this.part = part;
    this.payload = payload;
    this.#timeStamp = timeStamp;
  }

  get time(): number {
    return Date.parse(this.#timeStamp) || Date.now();
  }
}

/** The header that says which piece of which message a record holds: set, index and count, separated by spaces. */
export const PART_HEADER = 'Tandem-Part';

export function encodePart({ set, index, count }: Part): string {
  return `${set} ${index} ${count}`;
}

/** A record without a sound header is taken for a whole message, named by its sequence. */
export function decodePart(header: string | undefined, sequence: number): Part {
  const [set, index, count] = header?.split(' ') ?? [];
  const part = { set: set ?? '', index: Number(index), count: Number(count) };
  const sound = part.set !== '' && part.count >= 1 && part.index >= 0 && part.index < part.count;
  return sound ? part : { set: `?${sequence}`, index: 0, count: 1 };
}
