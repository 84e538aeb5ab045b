import { type LogRecord, LogUnavailable } from '@tandem/actor-core';
import { headerValue } from './header-text.ts';
import { decodePart, PART_HEADER } from './record.ts';

interface LeaderAnswer {
  /** Headers and payload in base64. */
  readonly message?: {
    readonly seq: number;
    readonly time: string;
    readonly hdrs?: string;
    readonly data?: string;
  };
  readonly error?: { readonly err_code: number; readonly description: string };
}

const NOT_FOUND = 10037;

/**
 * The record in a leader's answer to `STREAM.MSG.GET`. The library's own way makes an error, stack and all, for each
 * subject that is empty, as those of new turns are.
 * @returns undefined when there is none
 * @throws LogUnavailable
 */
export function leaderRecord(data: Uint8Array): LogRecord | undefined {
  const { message, error } = parse(data);
  if (error?.err_code === NOT_FOUND) return undefined;
  if (error) throw new LogUnavailable(new Error(`JetStream error ${error.err_code}: ${error.description}`));
  if (!message) throw new LogUnavailable(new Error('JetStream answered without a message'));
  const head = Buffer.from(message.hdrs ?? '', 'base64').toString('latin1');
  return {
    sequence: message.seq,
    previous: undefined,
    time: Date.parse(message.time),
    part: decodePart(headerValue(head, PART_HEADER), message.seq),
    payload: Buffer.from(message.data ?? '', 'base64'),
  };
}

function parse(data: Uint8Array): LeaderAnswer {
  try {
    return JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString());
  } catch (error) {
    throw new LogUnavailable(error);
  }
}
