import { type ErrorReason, REASONS } from '@tandem/errors';
import type { tandem } from '@tandem/proto';
import { findOpening, isFirstAppend, type LoggedCommand } from '../commands/command-intake.ts';
import type { Consumption } from '../journal/entry.ts';
import { consumptionOf, type JournalView } from '../journal/journal-view.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { LogUnavailable } from '../ports/log-errors.ts';
import { commandSubject, type TurnKey } from '../subject/turn-key.ts';
import type { TurnLimits } from './limits.ts';

/** What there is to do for a turn. */
export type SessionPlan =
  /** Nothing: no command asks for anything. */
  | { readonly kind: 'idle' }
  /** A generation that nobody has run yet. */
  | { readonly kind: 'open'; readonly opening: LoggedCommand }
  /** A generation that another process ran before. */
  | { readonly kind: 'resume'; readonly opening: LoggedCommand }
  /** The generation is over; these attempts of it want to know where their readers start. */
  | { readonly kind: 'answer'; readonly attempts: readonly LoggedCommand[] }
  /** A generation lives, but its history is not whole: it can only be failed. */
  | { readonly kind: 'broken' };

/** Whether the journal's newest generation has not ended. */
function isLiving(view: JournalView): boolean {
  return view.generation > 0 && !view.ended;
}

/** Which part of the command log is behind the generation that is to be taken up. */
export function consumedBefore(view: JournalView): Consumption {
  return isLiving(view) ? view.before : consumptionOf(view.ended);
}

/**
 * Whether a generation ended in a way that a further attempt is to repeat: by a fault that may pass, or because its
 * client was away for too long. Showing it the same end again would make its retries useless.
 */
function isWorthRepeating(ended: tandem.Ended): boolean {
  const { reason } = ended;
  return reason === 'client_gone' || (isReason(reason) && REASONS[reason].retryable);
}

function isReason(reason: string): reason is ErrorReason {
  return Object.hasOwn(REASONS, reason);
}

/**
 * Decides from both logs what is to be done. A seqno 0 behind the last generation's terminal entry opens the next,
 * unless it is a further attempt (its original request is another) at a generation whose journal is still there, and
 * which did not end in a way that is to be repeated. A further attempt that the journal knows already asks for nothing.
 * @param commands what the command log holds behind `consumedBefore(view).scanSequence`
 */
export function planSession(view: JournalView, commands: readonly LoggedCommand[]): SessionPlan {
  if (view.broken) return { kind: 'broken' };
  if (isLiving(view)) {
    const opening = commands.find(({ sequence }) => sequence === view.generation);
    return opening ? { kind: 'resume', opening } : { kind: 'broken' };
  }
  const { consumedSequence } = consumedBefore(view);
  const news = withoutRepetitions(view, commands, consumedSequence);
  const fresh = findOpening(news, consumedSequence, view.openedSet);
  if (!fresh) return { kind: 'idle' };
  const readable = view.ended && view.entries.length > 0 && !isWorthRepeating(view.ended);
  if (!readable || !isFurtherAttempt(fresh)) return { kind: 'open', opening: fresh };
  const firsts = news.filter((c) => c.sequence >= fresh.sequence && isFirstAppend(c));
  const next = firsts.findIndex((c) => !isFurtherAttempt(c));
  return { kind: 'answer', attempts: next < 0 ? firsts : firsts.slice(0, next) };
}

/** Leaves out what opens an attempt again: one that the generation has answered, or that came before. */
function withoutRepetitions(
  { entries }: JournalView,
  commands: readonly LoggedCommand[],
  consumed: number,
): LoggedCommand[] {
  const known = new Set<string>();
  for (const { entry } of entries) {
    for (const { kind } of entry.items) {
      if (kind.case === 'opened' || kind.case === 'attempt') known.add(kind.value.requestId);
    }
  }
  return commands.filter((command) => {
    if (command.sequence <= consumed || !isFirstAppend(command) || !isFurtherAttempt(command)) return true;
    const isNew = !known.has(requestOf(command));
    known.add(requestOf(command));
    return isNew;
  });
}

function requestOf({ command }: LoggedCommand): string {
  return command.kind.case === 'append' ? command.kind.value.requestId : '';
}

function isFurtherAttempt({ command }: LoggedCommand): boolean {
  if (command.kind.case !== 'append') return false;
  const { requestId, info } = command.kind.value;
  return info !== undefined && info.originalRequestId !== '' && info.originalRequestId !== requestId;
}

/**
 * A finished turn may be purged between the looks at its two logs: its commands were seen before, its journal after, as
 * a turn that nobody has run. Commands go first, so that a command which is still there speaks for the journal as it
 * was seen. Only asked of commands that are old enough to be purged.
 * @throws LogUnavailable when the opening command is gone: to be looked at again
 */
export async function checkStillStored(
  deps: { readonly log: Log; readonly clock: Clock; readonly limits: Pick<TurnLimits, 'retentionMs'> },
  key: TurnKey,
  opening: LoggedCommand,
): Promise<void> {
  const { log, clock, limits } = deps;
  if (clock.now() - opening.time < (limits.retentionMs * 2) / 3) return;
  const [record] = await log.read(commandSubject(key), opening.sequence - 1, 1);
  if (record?.sequence !== opening.sequence) throw new LogUnavailable('the turn is being purged');
}
