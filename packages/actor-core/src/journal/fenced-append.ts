import type { Clock } from '../ports/clock.ts';
import type { Log, LogRecord, Part } from '../ports/log.ts';
import { LogConflict, LogFull, LogUnavailable } from '../ports/log-errors.ts';

export type FencedResult =
  | { readonly kind: 'stored'; readonly sequence: number }
  /** Somebody else's record stands where this one should have gone. */
  | { readonly kind: 'refused'; readonly last: LogRecord | undefined };

export interface FencedAppendOptions {
  readonly clock: Clock;
  /** The subject's last sequence, as the writer knows it. */
  readonly expectedLast: number;
  /** Whether all that the subject held may have been purged since; else an empty one means that this record comes too late. */
  readonly mayBePurged: boolean;
  /** Gives up waiting for the log when it returns true: the writer is being stopped. */
  readonly stopped: () => boolean;
}

const FIRST_DELAY_MS = 20;
const MAX_DELAY_MS = 1000;

/**
 * Appends one record behind `expectedLast`, and finds out what became of it whatever the log answered: a time-out or a
 * refusal may hide a stored record, so the subject's last record is read from the leader, and only when the log still
 * stands where it stood is the record appended again. Waits out a log that is away or full.
 *
 * @throws LogUnavailable when stopped while the log is away
 */
export async function fencedAppend(
  log: Log,
  subject: string,
  part: Part,
  payload: Uint8Array,
  options: FencedAppendOptions,
): Promise<FencedResult> {
  const { clock, mayBePurged, stopped } = options;
  let { expectedLast } = options;
  let delay = FIRST_DELAY_MS;
  for (;;) {
    const fault = await log.append(subject, part, payload, { expectedLast }).then(
      (stored) => stored,
      (error: unknown) => error,
    );
    if (isStored(fault)) return { kind: 'stored', sequence: fault.sequence };
    if (fault instanceof LogFull || fault instanceof LogUnavailable) {
      if (stopped()) throw fault;
      delay = await pause(clock, delay);
    } else if (!(fault instanceof LogConflict)) throw fault;

    const last = await lastPatiently(log, subject, options);
    if (last && last.part.set === part.set && last.part.index === part.index) {
      return { kind: 'stored', sequence: last.sequence };
    }
    // A subject that was purged is empty again; the store then expects 0.
    const standing = last?.sequence ?? 0;
    if (standing !== expectedLast && (last || !mayBePurged)) return { kind: 'refused', last };
    expectedLast = standing;
    if (fault instanceof LogConflict) delay = await pause(clock, delay);
  }
}

async function lastPatiently(
  log: Log,
  subject: string,
  { clock, stopped }: FencedAppendOptions,
): Promise<LogRecord | undefined> {
  for (let delay = FIRST_DELAY_MS; ; ) {
    try {
      return await log.last(subject);
    } catch (error) {
      if (!(error instanceof LogUnavailable) || stopped()) throw error;
      delay = await pause(clock, delay);
    }
  }
}

function isStored(value: unknown): value is { sequence: number } {
  return typeof value === 'object' && value !== null && 'sequence' in value;
}

/** Waits, and says how long to wait next time. */
async function pause(clock: Clock, delay: number): Promise<number> {
  await new Promise<void>((resolve) => clock.after(delay, resolve));
  return Math.min(delay * 2, MAX_DELAY_MS);
}
