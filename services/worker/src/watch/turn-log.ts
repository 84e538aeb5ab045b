import type { LogFields, Logger } from '@tandem/platform';
import { tandem } from '@tandem/proto';
import type { TurnSink, WatchedTurn } from './turn-watch.ts';

/** The lines that tell of turns: one when another process's turn is taken over, one when a turn ends. */
export function turnLog(log: Logger): TurnSink {
  return {
    started: (turn) => {
      if (turn.start.kind === 'resume') log.info(namesOf(turn), 'turn taken over');
      else log.debug({ ...namesOf(turn), kind: turn.start.kind }, 'turn taken up');
    },
    ended: (turn, { outcome, reason }, ms) =>
      log.info(
        {
          ...namesOf(turn),
          outcome: tandem.Outcome[outcome].toLowerCase(),
          ...(reason && { reason }),
          ...(ms !== undefined && { ms }),
        },
        'turn ended',
      ),
    deposed: (turn) => log.warn(namesOf(turn), 'another worker runs the turn'),
  };
}

/** By what a turn is found in logs and traces. */
function namesOf({ key, start, conversationId, trace }: WatchedTurn): LogFields {
  return {
    runId: key.turn,
    ...('facts' in start && { requestId: start.facts.requestId, ownerId: start.facts.ownerId }),
    ...(conversationId && { conversationId }),
    ...(trace && { traceId: trace.traceId }),
  };
}
