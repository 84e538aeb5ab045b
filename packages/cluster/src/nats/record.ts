import type { StoredMsg } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import type { LogRecord } from '@tandem/actor-core';
import { decodePart, PART_HEADER } from './part-header.ts';

/** A record as the stream sent it on after storing it; undefined for what is none. */
export function republishedRecord(message: Msg): LogRecord | undefined {
  const previous = Number(message.headers?.get('Nats-Last-Sequence') || Number.NaN);
  const record = directRecord(message);
  return record && !Number.isNaN(previous) ? { ...record, previous } : record;
}

/** A record in an answer to a direct get; undefined for what is none. */
export function directRecord({ headers, data }: Msg): LogRecord | undefined {
  const sequence = Number(headers?.get('Nats-Sequence') || 0);
  if (!headers || sequence === 0) return undefined;
  const time = Date.parse(headers.get('Nats-Time-Stamp')) || Date.now();
  const part = decodePart(headers.get(PART_HEADER), sequence);
  return { sequence, previous: undefined, time, part, payload: data };
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
