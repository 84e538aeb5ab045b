import { journalSubject, turnKey } from '@tandem/actor-core';
import type { StreamRecord } from '../clients/attempt-record.ts';
import { turnName } from './commands.ts';
import type { Generation, JournalFrame } from './journals.ts';
import type { Check } from './violation.ts';

/** A reader gets each frame from its start once, in order, none left out, and an EndStream behind all (promise 3). */
export const eachFrameOnce: Check = ({ cast, world }, { generations }, report) => {
  for (const turn of cast.turns) {
    const own = generations.get(journalSubject(turnKey(turn.owner, turn.originalRequestId))) ?? [];
    for (const stream of turn.attempts.flatMap(({ streams }) => streams)) {
      if (stream.frames.length === 0) continue;
      const expected = own.flatMap((generation) => viewsOf(generation, stream));
      const faults = expected.map((frames) => faultOf(stream, frames));
      if (faults.includes(undefined)) continue;
      if (expected.length === 0) {
        if (isOwnEnd(stream, 0)) world.history.count('stream ended by its gateway');
        else report(`${turnName(turn)}: ${stream.requestId} got frames that no journal has for it`);
      } else
        report(`${turnName(turn)}: ${stream.requestId} (behind ${stream.received}): ${faults.join('; ')}`);
    }
  }
};

/** What the stream's request may be shown of a generation: from its beginning, or behind the start of an attempt. */
function viewsOf({ entries, frames }: Generation, { requestId, received }: StreamRecord): JournalFrame[][] {
  const views: JournalFrame[][] = [];
  for (const { entry } of entries) {
    for (const { kind } of entry.items) {
      if (kind.case === 'opened' && kind.value.requestId === requestId) views.push(frames.slice());
      if (kind.case === 'attempt' && kind.value.requestId === requestId) {
        const { start, withheld } = kind.value;
        const kept = ({ at }: JournalFrame) =>
          !withheld.some((place) => Number(place.entry) === at.entry && place.item === at.item);
        const behind = (frame: JournalFrame) =>
          !start ||
          frame.endStream ||
          frame.at.entry > Number(start.entry) ||
          (frame.at.entry === Number(start.entry) && frame.at.item > start.item);
        views.push(frames.filter((frame) => behind(frame) && kept(frame)));
      }
    }
  }
  return views.map((view) => dropReceived(view, received));
}

/** The EndStream goes to every reader, whatever it says to have. */
function dropReceived(view: JournalFrame[], received: number): JournalFrame[] {
  const rest = view.slice(received);
  const end = view.at(-1);
  return rest.length === 0 && end?.endStream ? [end] : rest;
}

/** What is wrong with the stream if it should have shown these frames; undefined: nothing. */
function faultOf(stream: StreamRecord, expected: readonly JournalFrame[]): string | undefined {
  for (const [index, payload] of stream.frames.entries()) {
    const frame = expected[index];
    const same = frame && Buffer.compare(frame.payload, payload) === 0;
    if (same) continue;
    if (isOwnEnd(stream, index)) return undefined;
    return `frame ${index} of ${stream.frames.length} is not the journal's (which has ${expected.length})`;
  }
  return undefined;
}

/** Whether what stands at the index is the end that a gateway made itself: an error. */
function isOwnEnd({ frames, endStream }: StreamRecord, index: number): boolean {
  const last = frames[index];
  return (
    endStream && index === frames.length - 1 && last !== undefined && Buffer.from(last).includes('"error"')
  );
}
