import { journalSubject, turnKey } from '@tandem/actor-core';
import type { tandem } from '@tandem/proto';
import type { TurnRecord } from '../clients/attempt-record.ts';
import { turnName } from './commands.ts';
import type { Generation, JournalEntry } from './journals.ts';
import type { Check } from './violation.ts';

/** How long a turn may go on that was replaced: the notice that cancels it is stored at once. */
const REPLACED_MS = 1_000;

/** A newer message of its conversation ends a turn (docs/protocol.md, 9); looked at where nothing else goes wrong. */
export const newerTurnsReplaceOlder: Check = ({ cast, plan, world }, { generations }, report) => {
  if (plan.faults.length > 0) return;
  const conversations = Map.groupBy(cast.turns, ({ owner, conversation }) => `${owner} ${conversation}`);
  for (const turns of conversations.values()) {
    for (const [index, turn] of turns.entries()) {
      const older = generationOf(turn, generations);
      const later = turns.slice(index + 1).map((one) => generationOf(one, generations));
      // What counts is when a message was stored: a slow upload may be overtaken by the next one.
      const newer = later.filter((generation) => older && generation && generation.number > older.number);
      const claimedAt = Math.min(
        ...newer.map((generation) => claimOf(generation) ?? Number.POSITIVE_INFINITY),
      );
      const ended = older?.entries.find(ends)?.time ?? Number.POSITIVE_INFINITY;
      if (!older || claimedAt >= ended) continue;
      world.history.count('measured: a turn that was replaced');
      if (ended > claimedAt + REPLACED_MS) report(`${turnName(turn)} went on after it was replaced`);
    }
  }
};

function generationOf(
  turn: TurnRecord,
  generations: ReadonlyMap<string, Generation[]>,
): Generation | undefined {
  const own = generations.get(journalSubject(turnKey(turn.owner, turn.originalRequestId))) ?? [];
  return own.length === 1 ? own[0] : undefined;
}

function claimOf(generation: Generation | undefined): number | undefined {
  return generation?.entries.find((one) => has(one, 'conversationClaimed'))?.time;
}

/** An ending is told beforehand, or (when nobody waits for it) happens at once. */
function ends(one: JournalEntry): boolean {
  return has(one, 'turnEnding') || one.entry.items.some(({ kind }) => kind.case === 'ended');
}

function has({ entry }: JournalEntry, record: tandem.TurnRecord['kind']['case']): boolean {
  return entry.items.some(({ kind }) => kind.case === 'record' && kind.value.kind.case === record);
}
