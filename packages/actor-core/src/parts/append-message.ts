import type { Clock } from '../ports/clock.ts';
import type { Log, Part } from '../ports/log.ts';
import { LogFull, LogUnavailable } from '../ports/log-errors.ts';
import { splitMessage } from './split.ts';

export interface AppendMessageOptions {
  readonly clock: Clock;
  /** How long the whole message is tried for, milliseconds; below the `abandonAfterMs` of its readers. */
  readonly retryForMs: number;
}

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1000;

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
  const giveUpAt = options.clock.now() + options.retryForMs;
  const pieces = splitMessage(payload, log.maxRecordBytes);
  let stored = { sequence: 0 };
  for (const [index, piece] of pieces.entries()) {
    const part = { set, index, count: pieces.length };
    stored = await appendPatiently(log, subject, part, piece, options.clock, giveUpAt);
  }
  return stored;
}

async function appendPatiently(
  log: Log,
  subject: string,
  part: Part,
  payload: Uint8Array,
  clock: Clock,
  giveUpAt: number,
): Promise<{ sequence: number }> {
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, MAX_DELAY_MS)) {
    try {
      return await log.append(subject, part, payload);
    } catch (error) {
      const worthWaiting = error instanceof LogUnavailable || error instanceof LogFull;
      if (!worthWaiting || clock.now() + delay > giveUpAt) throw error;
    }
    await new Promise<void>((resolve) => clock.after(delay, resolve));
  }
}
