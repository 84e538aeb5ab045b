import { Backoff, retry } from '@tandem/errors';
import type { Clock, Entropy } from '../ports/clock.ts';
import type { Log, LogRecord, Part } from '../ports/log.ts';
import { LogConflict, LogUnavailable, mayPass } from '../ports/log-errors.ts';

export type FencedResult =
  | { readonly kind: 'stored'; readonly sequence: number }
  /** Somebody else's record stands where this one should have gone. */
  | { readonly kind: 'refused'; readonly last: LogRecord | undefined };

export interface FencedAppendOptions {
  readonly clock: Clock;
  readonly entropy: Pick<Entropy, 'random'>;
  /** The subject's last sequence, as the writer knows it. */
  readonly expectedLast: number;
  /** Whether all that the subject held may have been purged since; else an empty one means that this record comes too late. */
  readonly mayBePurged: boolean;
  /** Ends the waiting for a log that is away. */
  readonly signal: AbortSignal;
}

const PACE = { firstMs: 20, maxMs: 1000 };

/**
 * Appends one record behind `expectedLast`, and finds out what became of it whatever the log answered: a time-out or a
 * refusal may hide a stored record, so the subject's last record is read from the leader, and only when the log still
 * stands where it stood is the record appended again. Waits out a log that is away or full.
 *
 * @throws the signal's reason when it is aborted while the log is away
 */
export async function fencedAppend(
  log: Log,
  subject: string,
  part: Part,
  payload: Uint8Array,
  options: FencedAppendOptions,
): Promise<FencedResult> {
  const { mayBePurged, signal } = options;
  let { expectedLast } = options;
  let backoff: Backoff | undefined;
  for (;;) {
    let fault: unknown;
    try {
      const { sequence } = await log.append(subject, part, payload, { expectedLast });
      return { kind: 'stored', sequence };
    } catch (error) {
      fault = error;
    }
    backoff ??= new Backoff({ ...options, ...PACE });
    if (mayPass(fault)) await backoff.wait(signal);
    else if (!(fault instanceof LogConflict)) throw fault;

    const last = await retry(() => log.last(subject), { ...options, ...PACE, worthRetrying: isAway });
    if (last && last.part.set === part.set && last.part.index === part.index) {
      return { kind: 'stored', sequence: last.sequence };
    }
    // A subject that was purged is empty again; the store then expects 0.
    const standing = last?.sequence ?? 0;
    if (standing !== expectedLast && (last || !mayBePurged)) return { kind: 'refused', last };
    expectedLast = standing;
    if (fault instanceof LogConflict) await backoff.wait(signal);
  }
}

function isAway(error: unknown): boolean {
  return error instanceof LogUnavailable;
}
