import { TandemError } from '@tandem/errors';
import { type agent, tandem } from '@tandem/proto';
import { isRejected, neededWrites } from '../blobs/pending-writes.ts';
import { returnQueued } from '../injections/deliver.ts';
import type { Ending } from '../state.ts';
import type { Step } from '../step.ts';
import { stopTools } from '../tool-calls/stop.ts';
import { sendCheckpoint } from '../transcript/checkpoint.ts';
import { abortModel, stopModel } from '../transcript/commit.ts';
import { stopUserShell } from '../user-shell/user-shell.ts';
import { endingRecord } from './ending-record.ts';

export const ENDING_TIMER = 'ending';

const PHASES = {
  [tandem.TurnEnd.UNSPECIFIED]: tandem.Phase.FAILED,
  [tandem.TurnEnd.COMPLETED]: tandem.Phase.COMPLETED,
  [tandem.TurnEnd.FAILED]: tandem.Phase.FAILED,
  [tandem.TurnEnd.CANCELED]: tandem.Phase.CANCELED,
} as const;

const OUTCOMES = {
  [tandem.TurnEnd.UNSPECIFIED]: 'failed',
  [tandem.TurnEnd.COMPLETED]: 'completed',
  [tandem.TurnEnd.FAILED]: 'failed',
  [tandem.TurnEnd.CANCELED]: 'canceled',
} as const;

/**
 * Stops what runs, keeps what the model wrote, and lets the turn end once the client has it all. The first ending
 * counts.
 * @param resolutions what the client knows of calls that are out
 */
export function beginEnding(
  step: Step,
  end: tandem.TurnEnd,
  error?: TandemError,
  resolutions?: agent.InterruptedPendingToolCallResolutions,
): void {
  if (step.state.ending || step.state.ended) return;
  stopModel(step, 'aborted');
  stopTools(step, resolutions);
  stopUserShell(step);
  returnQueued(step, end === tandem.TurnEnd.CANCELED && !error);
  step.record({ case: 'turnEnding', value: endingRecord(end, error) });
}

/**
 * The end: last blobs confirmed, `turn_ended`, the final checkpoint, the end of the stream. Clients that lose the
 * connection take a turn for finished only when a checkpoint followed `turn_ended`; so a turn that failed, which they
 * are to try again, shows no `turn_ended`.
 */
export function proceedEnding(step: Step): boolean {
  const { state } = step;
  const ending = state.ending;
  if (!ending) return false;
  const unconfirmed = neededWrites(state).length > 0;
  if (unconfirmed && !state.process.overdue && !isRejected(state)) {
    // A whole answer is worth the time that blobs may take; the blob timer bounds it.
    if (ending.end !== tandem.TurnEnd.COMPLETED) step.startTimer(ENDING_TIMER, step.config.limits.endingMs);
    return false;
  }
  // A client that still runs something when its stream ends takes the turn for broken.
  if (state.openExecs.size > 0 && !state.process.overdue) {
    step.startTimer(ENDING_TIMER, step.config.limits.endingMs);
    return false;
  }
  if (unconfirmed) {
    const lost = ending.end === tandem.TurnEnd.COMPLETED;
    finish(step, lost ? { end: tandem.TurnEnd.FAILED, error: new TandemError('blob_rejected') } : ending);
    return true;
  }
  const whole = ending.error === undefined;
  if (whole) showTurnEnded(step);
  if (state.request?.action && (whole || state.checkpointDue)) sendCheckpoint(step);
  finish(step, ending);
  return true;
}

/** Nobody listens any more: ends without what a client would have to confirm. */
export function endAbandoned(step: Step): void {
  if (step.state.ended) return;
  abortModel(step);
  finish(step, { end: tandem.TurnEnd.CANCELED, error: new TandemError('client_gone') });
}

/** The client had its time to confirm the last blobs. */
export function decideEndingTimeout(step: Step): void {
  step.local({ type: 'overdue' });
}

function showTurnEnded(step: Step): void {
  const { usage } = step.state;
  step.update({
    case: 'turnEnded',
    value: {
      inputTokens: BigInt(usage.inputTokens),
      outputTokens: BigInt(usage.outputTokens),
      cacheReadTokens: BigInt(usage.cacheReadTokens),
      cacheWriteTokens: BigInt(usage.cacheWriteTokens),
      reasoningTokens: BigInt(usage.reasoningTokens),
    },
  });
}

function finish(step: Step, { end, error }: Ending): void {
  for (const name of step.state.process.timers) step.stopTimer(name);
  step.record({ case: 'phase', value: { phase: PHASES[end] } });
  step.add(error ? { kind: 'end', outcome: OUTCOMES[end], error } : { kind: 'end', outcome: OUTCOMES[end] });
}
