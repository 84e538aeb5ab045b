import { journalSubject, turnKey } from '@tandem/actor-core';
import type { agent } from '@tandem/proto';
import type { TurnRecord } from '../clients/attempt-record.ts';
import { tokensIn } from '../model/script.ts';
import { turnName } from './commands.ts';
import { isStale } from './stale.ts';
import { exchangeIn, referencesOf } from './transcripts.ts';
import type { Check } from './violation.ts';

/**
 * What a client is shown of an answer is the answer: nothing left out, nothing twice but what a retrying client
 * may have lacked, and all of it when the turn ended well.
 */
export const textIsWhole: Check = (run, logs, report) => {
  for (const turn of run.cast.turns) {
    if (isStale(run, logs, turn)) continue;
    let had = 0;
    for (const { text, requestId, resumedFrom } of turn.attempts) {
      const { tokens, broken } = tokensIn(text);
      const say = (what: string) => report(`${turnName(turn)}, attempt ${requestId}: ${what}`);
      if (broken) say('shows text that is no token');
      const first = tokens[0];
      if (!first) continue;
      if (tokens.some(({ id, owner }) => id !== turn.script || owner !== turn.owner)) {
        say(`shows ${first.owner}'s ${first.id}`);
        continue;
      }
      if (tokens.some(({ index }, place) => index !== first.index + place)) {
        say(`shows ${tokens.map(({ index }) => index).join(' ')}`);
      }
      if (first.index > had) say(`begins with ${first.index}, the client has ${had}`);
      const sentBack = resumedFrom ? answeredIn(resumedFrom, turn) : 0;
      if (first.index < sentBack) say(`begins with ${first.index}, the client sent back ${sentBack}`);
      had = Math.max(had, first.index + tokens.length);
    }
    if (turn.status === 'finished' && had !== turn.tokens) {
      report(`${turnName(turn)} ended well with ${had} of ${turn.tokens} tokens`);
    }
  }
};

/** The last checkpoint of a turn that ended well holds the whole answer, in blobs that its client has. */
export const checkpointHoldsAll: Check = (run, logs, report) => {
  for (const turn of run.cast.turns) {
    const { checkpoint, status, blobs } = turn;
    if (!checkpoint) continue;
    for (const id of referencesOf(checkpoint, blobs)) {
      if (!blobs.has(id))
        report(`${turnName(turn)}: the last checkpoint refers to ${id.slice(0, 12)}, which its client lacks`);
    }
    if (status !== 'finished' || isStale(run, logs, turn)) continue;
    const answered = answeredIn(checkpoint, turn);
    if (answered !== turn.tokens)
      report(`${turnName(turn)}: the last checkpoint holds ${answered} of ${turn.tokens} tokens`);
  }
};

/** Whatever a model is told of an answer is a beginning of it, and all of one owner's. */
export const modelsAreToldTheTruth: Check = ({ cast }, _logs, report) => {
  for (const { worker, exchanges } of cast.calls) {
    for (const { script, answered } of exchanges) {
      const { tokens, broken } = tokensIn(answered);
      const wrong = tokens.some(({ id, index }, place) => id !== script.id || index !== place);
      if (broken || wrong) report(`${worker} told a model of ${script.id}: ${answered}`);
      if (script.owner !== exchanges[0]?.script.owner) report(`${worker} told a model of two owners' things`);
    }
  }
};

/** Effects follow what is stored: no call of a model that the journal does not know. */
export const callsAreStored: Check = ({ cast }, { generations }, report) => {
  const started = new Map<string, number>();
  for (const turn of new Map(cast.turns.map((one) => [one.script, one])).values()) {
    const own = generations.get(journalSubject(turnKey(turn.owner, turn.originalRequestId))) ?? [];
    for (const { entries } of own) {
      for (const { entry, by } of entries) {
        for (const { kind } of entry.items) {
          if (kind.case !== 'record' || kind.value.kind.case !== 'modelCallStarted') continue;
          started.set(
            `${by} ${turn.originalRequestId} ${turn.owner}`,
            (started.get(`${by} ${turn.originalRequestId} ${turn.owner}`) ?? 0) + 1,
          );
        }
      }
    }
  }
  const requests = new Map(cast.turns.map((turn) => [turn.script, turn]));
  const called = new Map<string, number>();
  for (const { worker, exchanges } of cast.calls) {
    const turn = requests.get(exchanges.at(-1)?.script.id ?? '');
    if (!turn) continue;
    const name = `${worker} ${turn.originalRequestId} ${turn.owner}`;
    called.set(name, (called.get(name) ?? 0) + 1);
  }
  // Turns that share a request id are counted once above for each of their scripts.
  for (const [name, count] of called) {
    const known = started.get(name) ?? 0;
    if (count > known) report(`${name}: ${count} model calls, ${known} in the journal`);
  }
};

/** How many tokens of the turn's answer a checkpoint holds. */
function answeredIn(checkpoint: agent.ConversationStateStructure, turn: TurnRecord): number {
  return tokensIn(exchangeIn(checkpoint, turn)?.answered ?? '').tokens.length;
}
