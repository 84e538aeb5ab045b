import { tandem } from '@tandem/proto';
import { proceedBlobs } from './blobs/index.ts';
import { proceedContext } from './context/index.ts';
import { beginEnding, proceedEnding } from './ending/index.ts';
import { proceedModelCall } from './model-call/index.ts';
import { proceedOpening } from './opening/index.ts';
import { proceedRestore } from './restore/index.ts';
import type { Step } from './step.ts';
import { proceedToolCalls } from './tool-calls/index.ts';
import { proceedCheckpoint } from './transcript/index.ts';
import { proceedUserShell, userShellAction } from './user-shell/index.ts';
import { unsupported, type Verdict } from './verdict.ts';

/**
 * Carries out a verdict, then does whatever the state shows as possible and not done. Everything that a turn does by itself
 * starts here and follows from the state alone, so that a takeover is no special case: it forgets what ran in the lost
 * process, and what is missing is started again.
 */
export function advance(step: Step, first: Verdict): void {
  if (!first) return;
  for (let verdict: Verdict = first; verdict && !step.state.ended; verdict = proceed(step)) {
    if (verdict !== 'advance') beginEnding(step, verdict);
  }
  tellPhase(step);
}

/** Does one thing; undefined when the turn waits for something or has nothing left to do. */
function proceed(step: Step): Verdict {
  if (step.state.ended) return undefined;
  return proceedBlobs(step) ?? proceedStage(step);
}

/** What a turn is about now, from its first message to its end. */
function proceedStage(step: Step): Verdict {
  const { state } = step;
  if (state.ending) return proceedEnding(step);
  if (!state.request) return unsupported('a stream that does not begin with a request');
  if (!state.request.action) return proceedPrewarm(step);
  if (!state.turn) return proceedOpening(step);
  const checkpoint = proceedCheckpoint(step);
  if (checkpoint) return checkpoint;
  if (userShellAction(state)) return proceedUserShell(step);
  return state.toolCalls.length > 0 ? proceedToolCalls(step) : proceedModelCall(step);
}

/** A prewarmed turn has together what it will need when its action comes. What fails then is told then. */
function proceedPrewarm(step: Step): Verdict {
  return proceedContext(step) ?? (step.state.restore.fault ? undefined : proceedRestore(step));
}

/** Metrics and traces are made of phases. */
function tellPhase(step: Step): void {
  const phase = phaseOf(step);
  if (!step.state.ended && phase !== step.state.phase) step.record({ case: 'phase', value: { phase } });
}

function phaseOf({ state }: Step): tandem.Phase {
  if (state.ending) return tandem.Phase.CHECKPOINTING;
  if (state.model) return tandem.Phase.RUNNING_MODEL;
  if (state.toolCalls.some(({ pending }) => pending?.type === 'query')) return tandem.Phase.AWAITING_USER;
  if (state.toolCalls.length > 0 || state.userShell) return tandem.Phase.WAITING_CLIENT;
  return state.request?.action ? tandem.Phase.RESTORING : tandem.Phase.CREATED;
}
