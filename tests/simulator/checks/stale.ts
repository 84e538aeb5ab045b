import { commandSubject, journalSubject, turnKey } from '@tandem/actor-core';
import type { TurnRecord } from '../clients/attempt-record.ts';
import { tokensIn } from '../model/script.ts';
import type { Run } from '../run/simulate.ts';
import type { Logs } from './journals.ts';

/**
 * Whether a turn under a request id that was used before was given the end of the turn before once more, because the
 * notice that it had been delivered was not stored yet: that a gateway tells it beside the stream is by design.
 */
export function isStale({ world }: Run, logs: Logs, turn: TurnRecord): boolean {
  const startedAt = world.time.now() - world.history.now;
  const [stream] = turn.attempts[0]?.streams ?? [];
  const [token] = tokensIn(turn.attempts[0]?.text ?? '').tokens;
  if (!stream || !token || token.id === turn.script || token.owner !== turn.owner) return false;
  const key = turnKey(turn.owner, turn.originalRequestId);
  const openedAt = startedAt + stream.openedAt;
  const before = logs.generations
    .get(journalSubject(key))
    ?.findLast(({ entries }) => (entries[0]?.time ?? 0) < openedAt);
  const noted = logs.deliveries
    .get(commandSubject(key))
    ?.some(({ generation, time }) => generation === before?.number && time < openedAt);
  if (!noted) world.history.count('an end that was given twice for want of a notice');
  return !noted;
}
