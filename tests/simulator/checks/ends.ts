import { commandSubject, journalSubject, turnKey } from '@tandem/actor-core';
import type { TurnRecord } from '../clients/attempt-record.ts';
import { turnName } from './commands.ts';
import type { LoggedAppend } from './journals.ts';
import type { Check } from './violation.ts';

/** Once nothing goes wrong any more, every turn whose client stays ends, and well if it began then. */
export const turnsEnd: Check = ({ cast, plan, world }, { generations, appends }, report) => {
  const startedAt = world.time.now() - world.history.now;
  for (const turn of cast.turns) {
    if (turn.status === 'running') {
      report(`${turnName(turn)} is still running`);
      continue;
    }
    const last = turn.attempts.at(-1);
    if (turn.status !== 'failed' || !last || last.startedAt < plan.calmFrom) continue;
    const reason = last.end && 'reason' in last.end ? last.end.reason : '';
    if (reason.includes('superseded') || reason.includes('newer')) continue;
    const key = turnKey(turn.owner, turn.originalRequestId);
    if (isTakenForEarlier(turn, appends.get(commandSubject(key)) ?? [])) {
      world.history.count('a retry that was taken for one of the turn before');
      continue;
    }
    const own = generations.get(journalSubject(key)) ?? [];
    const end = own
      .at(-1)
      ?.entries.find(({ entry }) => entry.items.some(({ kind }) => kind.case === 'ended'));
    if (end && end.time - startedAt < plan.calmFrom) world.history.count('failed again for what was before');
    else report(`${turnName(turn)} failed in calm weather: ${reason}`);
  }
};

/**
 * Whether a turn under a request id that was used before lost its very first message: its retries then name a turn that
 * has ended, and cannot be told from retries of that one.
 */
function isTakenForEarlier(turn: TurnRecord, logged: readonly LoggedAppend[]): boolean {
  const first = turn.attempts[0]?.appends[0];
  const under = logged.filter(
    ({ append }) => append.requestId === turn.originalRequestId && append.seqno === 0n,
  );
  return (
    under.length > 0 &&
    !under.some(({ append }) => first && Buffer.compare(append.message, first.message) === 0)
  );
}

/** Nothing is left running behind a run: what nobody waits for any more is ended. */
export const nothingLeftRunning: Check = ({ plan }, { generations }, report) => {
  // With the jobs gone, a turn that nobody reads is nobody's business until the log forgets it.
  if (plan.faults.some((fault) => fault.kind === 'redis down' && fault.loses === 'all')) return;
  for (const own of generations.values()) {
    for (const { subject, number, ended } of own) {
      if (!ended) report(`${subject}: generation ${number} never ended`);
    }
  }
};

/** In the end no worker holds a turn: one that another has finished was given up. */
export const turnsAreGivenUp: Check = ({ cast, plan }, _logs, report) => {
  if (plan.faults.some((fault) => fault.kind === 'redis down' && fault.loses === 'all')) return;
  for (const { name, turns } of cast.busyWorkers) report(`${name} still holds ${turns} turns`);
};

/** How long a turn may go on when its client is gone: 10 s of grace, a tick, the way of what was in flight. */
const ABANDONED_MS = 12_000;

/** A dropped connection cancels: the model is not called on for nobody (looked at where nothing else goes wrong). */
export const canceledTurnsStop: Check = ({ cast, plan, world }, { generations, appends, closes }, report) => {
  if (plan.faults.some((fault) => fault.kind !== 'lag' || fault.liveLoss > 0)) return;
  for (const turn of cast.turns) {
    if (turn.status !== 'canceled' || turn.attempts.length > 1) continue;
    const key = turnKey(turn.owner, turn.originalRequestId);
    const own = generations.get(journalSubject(key)) ?? [];
    const close = closes.get(commandSubject(key))?.at(-1);
    const lastAppend = appends.get(commandSubject(key))?.at(-1);
    // An append behind the notice is a sign of life.
    if (own.length !== 1 || !close || !lastAppend || lastAppend.sequence > close.sequence) continue;
    world.history.count('measured: a turn that was canceled');
    const last = own[0]?.entries.at(-1)?.time ?? 0;
    if (last > close.time + ABANDONED_MS)
      report(`${turnName(turn)} went on for ${last - close.time} ms for nobody`);
  }
};

/** The runtime and the agent meet nothing that they take for a fault of their own. */
export const noFaultsOfOurOwn: Check = ({ world }, _logs, report) => {
  const bugs = world.history.counts.get('worker bug') ?? 0;
  if (bugs > 0) report(`${bugs} internal faults`);
  const broken = world.history.counts.get('taken up: broken') ?? 0;
  if (broken > 0) report(`${broken} turns with a history that is not whole`);
};
