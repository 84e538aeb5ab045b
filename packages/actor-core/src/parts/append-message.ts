import { retry } from '@tandem/errors';
import type { Clock, Entropy } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { mayPass } from '../ports/log-errors.ts';
import { splitMessage } from './assembler.ts';

export interface AppendMessageOptions {
  readonly clock: Clock;
  /** Without it, no wait before a further try is random. */
  readonly entropy?: Pick<Entropy, 'random'>;
  /** How long the whole message is tried for, milliseconds; below the `abandonAfterMs` of its readers. */
  readonly retryForMs: number;
}

const PACE = { firstMs: 50, maxMs: 1000 };

/**
 * Appends a message of any size, unconditionally. A record whose fate is unknown is sent again with the same set and
 * index, so it may be stored twice; readers take a message of one record twice then, and ignore a repeated part.
 * @param set unique among the subject's messages
 * @returns the sequence of the last record
 * @throws LogUnavailable or LogFull when it did not succeed in time; the message may have been stored all the same
 */
export async function appendMessage(
  log: Log,
  subject: string,
  set: string,
  payload: Uint8Array,
  options: AppendMessageOptions,
): Promise<{ sequence: number }> {
  const { clock, entropy, retryForMs } = options;
  const tries = { ...PACE, clock, entropy, until: clock.now() + retryForMs, worthRetrying: mayPass };
  const pieces = splitMessage(payload, log.maxRecordBytes);
  let stored = { sequence: 0 };
  for (const [index, piece] of pieces.entries()) {
    const part = { set, index, count: pieces.length };
    stored = await retry(() => log.append(subject, part, piece), tries);
  }
  return stored;
}
