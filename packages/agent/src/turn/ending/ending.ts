import { create } from '@bufbuild/protobuf';
import { ERROR_REASONS, type ErrorReason, TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';
import { isRejected, neededWrites } from '../blobs/index.ts';
import { returnQueued } from '../injections/index.ts';
import { abortModel, stopModel } from '../model-call/index.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { stopTools } from '../tool-calls/index.ts';
import { sendCheckpoint } from '../transcript/index.ts';
import { stopUserShell } from '../user-shell/index.ts';
import type { EndTurn, Verdict } from '../verdict.ts';
import type { Ending } from './state.ts';

const TIMER = { type: 'ending' } as const;

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
 * Stops what runs, keeps what the model wrote, and lets the turn end once the client has it all. The first ending counts.
 */
export function beginEnding(step: Step, { end, error, resolutions }: EndTurn): void {
  if (step.state.ending || step.state.ended) return;
  stopModel(step, 'aborted');
  stopTools(step, resolutions);
  stopUserShell(step);
  returnQueued(step, end === tandem.TurnEnd.CANCELED && !error);
  // How the turn ends is remembered until what it has is safe with the client.
  const { reason = '', title = '', detail = '' } = error ?? {};
  const value = create(tandem.TurnEndingSchema, { end, reason, title, detail });
  step.record({ case: 'turnEnding', value });
}

/** The turn is to end. */
export function evolveEnding(state: TurnState, { end, reason, title, detail }: tandem.TurnEnding): TurnState {
  const known = REASONS.has(reason) ? (reason as ErrorReason) : 'internal';
  const error = reason ? new TandemError(known, { title, detail }) : undefined;
  return { ...state, ending: { end, error } };
}

const REASONS: ReadonlySet<string> = new Set(ERROR_REASONS);

/**
 * The end: last blobs confirmed, `turn_ended`, the final checkpoint, the end of the stream. Clients that lose the
 * connection take a turn for finished only when a checkpoint followed `turn_ended`; so a turn that failed, which they
 * are to try again, shows no `turn_ended`.
 */
export function proceedEnding(step: Step): Verdict {
  const { state } = step;
  const { ending, process } = state;
  if (!ending) return undefined;
  const unconfirmed = neededWrites(state).length > 0;
  if (unconfirmed && !process.overdue && !isRejected(state)) {
    // A whole answer is worth the time that blobs may take; the blob timer bounds it.
    if (ending.end !== tandem.TurnEnd.COMPLETED) step.startTimer(TIMER, step.config.limits.endingMs);
    return undefined;
  }
  // A client that still runs something when its stream ends takes the turn for broken.
  if (state.openExecs.size > 0 && !process.overdue) {
    step.startTimer(TIMER, step.config.limits.endingMs);
    return undefined;
  }
  if (unconfirmed) {
    const lost = ending.end === tandem.TurnEnd.COMPLETED;
    finish(step, lost ? { end: tandem.TurnEnd.FAILED, error: new TandemError('blob_rejected') } : ending);
    return 'advance';
  }
  const whole = ending.error === undefined;
  if (whole) showTurnEnded(step);
  if (state.request?.action && (whole || state.checkpointDue)) sendCheckpoint(step);
  finish(step, ending);
  return 'advance';
}

/** Nobody listens any more: ends without what a client would have to confirm. */
export function decideOrphaned(step: Step): Verdict {
  abortModel(step);
  finish(step, { end: tandem.TurnEnd.CANCELED, error: new TandemError('client_gone') });
  return undefined;
}

/** The client had its time to confirm the last blobs. */
export function decideEndingTimeout(step: Step): Verdict {
  step.local({ type: 'overdue' });
  return 'advance';
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
  for (const timer of step.state.process.timers.values()) step.stopTimer(timer);
  step.record({ case: 'phase', value: { phase: PHASES[end] } });
  step.add(error ? { kind: 'end', outcome: OUTCOMES[end], error } : { kind: 'end', outcome: OUTCOMES[end] });
}
