import { commandSubject, journalSubject, turnKey } from '@tandem/actor-core';
import type { AttemptRecord, TurnRecord } from '../clients/attempt-record.ts';
import type { Generation, LoggedAppend } from './journals.ts';
import type { Check } from './violation.ts';

/** An acknowledged append is stored, and was when it was acknowledged (promise 1). */
export const acknowledgedIsStored: Check = ({ cast, world }, { appends }, report) => {
  const startedAt = world.time.now() - world.history.now;
  for (const turn of cast.turns) {
    const logged = appends.get(commandSubject(turnKey(turn.owner, turn.originalRequestId))) ?? [];
    for (const { requestId, appends: sent } of turn.attempts) {
      for (const { seqno, message, acknowledgedAt } of sent) {
        if (acknowledgedAt === undefined) continue;
        const stored = logged.find(({ append, time }) => {
          if (append.requestId !== requestId || Number(append.seqno) !== seqno) return false;
          return time - startedAt <= acknowledgedAt && Buffer.compare(append.message, message) === 0;
        });
        if (!stored)
          report(`${requestId}#${seqno} was acknowledged at ${acknowledgedAt} and not stored then`);
      }
    }
  }
};

/** Each command takes effect once, in order, and as it was sent first (promises 2 and 7). */
export const eachCommandOnce: Check = (_run, { generations, appends }, report) => {
  for (const [subject, own] of generations) {
    const logged = appends.get(subject.replace(/^evt/, 'cmd')) ?? [];
    const bySequence = new Map(logged.map((one) => [one.sequence, one]));
    for (const generation of own) checkCommands(generation, bySequence, logged, report);
    checkGenerations(subject, own, report);
  }
};

function checkCommands(
  { subject, number, entries }: Generation,
  bySequence: ReadonlyMap<number, LoggedAppend>,
  logged: readonly LoggedAppend[],
  report: (what: string) => void,
): void {
  const next = new Map<string, number>();
  const opening = bySequence.get(number);
  for (const { entry } of entries) {
    for (const { kind } of entry.items) {
      if (kind.case !== 'command') continue;
      const { sequence, requestId, seqno } = kind.value;
      const name = `${subject} generation ${number}: ${requestId}#${seqno}`;
      const due = next.get(requestId) ?? 0;
      if (Number(seqno) !== due) report(`${name} is applied where ${due} is due`);
      next.set(requestId, Number(seqno) + 1);
      const command = bySequence.get(Number(sequence));
      if (!command) report(`${name} refers to ${sequence}, where no append is`);
      else if (command.append.requestId !== requestId || command.append.seqno !== seqno) {
        report(`${name} refers to ${command.append.requestId}#${command.append.seqno}`);
      } else if (opening && !isFirst(command, opening, logged))
        report(`${name} is not the one that was sent first`);
    }
  }
}

/** No command is applied in two generations. */
function checkGenerations(subject: string, own: readonly Generation[], report: (what: string) => void): void {
  const applied = new Map<bigint, number>();
  for (const { number, entries } of own) {
    for (const { kind } of entries.flatMap(({ entry }) => entry.items)) {
      if (kind.case !== 'command') continue;
      const before = applied.get(kind.value.sequence) ?? number;
      if (before !== number)
        report(`${subject}: ${kind.value.sequence} is applied in ${before} and ${number}`);
      applied.set(kind.value.sequence, number);
    }
  }
}

/** Whether nothing else was logged under the same number before. What precedes the opening yields to what follows it. */
function isFirst(command: LoggedAppend, opening: LoggedAppend, logged: readonly LoggedAppend[]): boolean {
  const { requestId, seqno, message } = command.append;
  return !logged.some(
    ({ sequence, append }) =>
      sequence >= opening.sequence &&
      sequence < command.sequence &&
      append.requestId === requestId &&
      append.seqno === seqno &&
      Buffer.compare(append.message, message) !== 0,
  );
}

/** What an attempt sent before a turn ended well has all been applied, up to what its client still had on the way. */
export const answersAreHeard: Check = ({ cast }, { generations }, report) => {
  for (const turn of cast.turns) {
    if (turn.status !== 'finished') continue;
    const last = turn.attempts.at(-1);
    if (!last || last.appends.length === 0) continue;
    const own = generations.get(journalSubject(turnKey(turn.owner, turn.originalRequestId))) ?? [];
    const applied = own.some(({ entries }) => entries.some(({ entry }) => opens(entry.items, last)));
    if (!applied) report(`${turnName(turn)} ended well, but ${last.requestId}#0 is in no journal`);
  }
};

function opens(
  items: readonly { kind: { case?: string; value?: unknown } }[],
  { requestId }: AttemptRecord,
): boolean {
  return items.some(
    ({ kind }) => kind.case === 'command' && (kind.value as { requestId: string }).requestId === requestId,
  );
}

export function turnName({ owner, originalRequestId, script }: TurnRecord): string {
  return `${owner}'s turn ${originalRequestId} (${script})`;
}
