import { LogConflict, LogFull, LogUnavailable } from '@tandem/actor-core';

interface PublishAnswer {
  readonly seq?: number;
  readonly duplicate?: boolean;
  readonly error?: { readonly code: number; readonly err_code: number; readonly description: string };
}

/** JetStream's codes for "the subject's last sequence is another"; the second is what replicas say of one in flight. */
const WRONG_LAST_SEQUENCE = new Set([10071, 10164]);

/** Codes for want of space: store failed (its bound), account limits, server's storage and memory, resources. */
const NO_SPACE = new Set([10077, 10002, 10047, 10028, 10023]);

/**
 * What JetStream answered to a publish.
 * @returns the sequence at which it is stored
 * @throws LogConflict, LogFull, LogUnavailable
 */
export function storedSequence(data: Uint8Array): number {
  const answer = parse(data);
  if (answer.error) {
    const cause = new Error(`JetStream error ${answer.error.err_code}: ${answer.error.description}`);
    if (WRONG_LAST_SEQUENCE.has(answer.error.err_code)) throw new LogConflict(cause);
    if (NO_SPACE.has(answer.error.err_code)) throw new LogFull(cause);
    throw new LogUnavailable(cause);
  }
  // A duplicate was not stored, and a replica says 0 of what it dropped.
  if (!answer.seq || answer.duplicate)
    throw new LogUnavailable(new Error('JetStream did not store a publish'));
  return answer.seq;
}

function parse(data: Uint8Array): PublishAnswer {
  try {
    return JSON.parse(Buffer.from(data).toString());
  } catch (error) {
    throw new LogUnavailable(error);
  }
}
