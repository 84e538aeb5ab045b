import { commandSubject, journalSubject, type TurnKey } from '../subject/turn-key.ts';
import type { Log } from './log.ts';

/** Where a turn's job stands: `absent` also covers a job that has just ended. */
export type DispatchPlace = 'absent' | 'waiting' | 'active';

/** Wakes workers. A turn has at most one job waiting and one active; a wake-up that comes while one is active is kept. */
export interface Dispatcher {
  /** Makes sure that a worker looks at the turn after this call. @throws TandemError cluster_unavailable */
  dispatch(key: TurnKey): Promise<void>;
  /** @throws TandemError cluster_unavailable */
  place(key: TurnKey): Promise<DispatchPlace>;
}

/** `done`: the job is over; `requeue`: hand it to another worker now. */
export type JobOutcome = 'done' | 'requeue';

export interface DispatchQueue {
  /**
   * Starts taking jobs. A job is held, and its lock renewed, until the handler settles; the job of a worker that
   * died is handed to another within a few seconds. A handler that throws is logged and its job handed on.
   */
  start(handler: (key: TurnKey) => Promise<JobOutcome>): Promise<void>;
  /** Takes no further job; running handlers go on. */
  pause(): Promise<void>;
  /** Stops for good, once the running handlers have settled. */
  close(): Promise<void>;
}

/** Deletes what a finished turn left in the logs, later. */
export interface Retention {
  /** Purges the command log, then the journal, up to these sequences after `delayMs`, never past them (commands without a journal would look like a turn that nobody ran yet). @throws TandemError cluster_unavailable */
  schedule(key: TurnKey, upTo: { journal: number; commands: number }, delayMs: number): Promise<void>;
}

/**
 * Removes what a finished turn left, up to these sequences. Commands go first: without their journal they would look
 * like a turn that nobody ran yet.
 * @throws LogUnavailable
 */
export async function purgeTurn(
  log: Log,
  key: TurnKey,
  upTo: { readonly journal: number; readonly commands: number },
): Promise<void> {
  await log.purge(commandSubject(key), upTo.commands);
  await log.purge(journalSubject(key), upTo.journal);
}
