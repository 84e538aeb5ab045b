import { tandem } from '@tandem/proto';
import { proceedBlobs } from './blobs/blobs.ts';
import { proceedContext } from './context/request-context.ts';
import { beginEnding, proceedEnding } from './ending/ending.ts';
import { unsupported } from './ending/ending-record.ts';
import { proceedModel } from './model-call/model-call.ts';
import { proceedOpening } from './opening/opening.ts';
import { proceedRestore } from './restore/load-blobs.ts';
import type { Step } from './step.ts';
import { proceedTools } from './tool-calls/proceed.ts';
import { proceedCheckpoint } from './transcript/checkpoint.ts';
import {
  isUserShellOver,
  proceedUserShell,
  recordUserShell,
  USER_SHELL_TIMER,
  userShellAction,
} from './user-shell/user-shell.ts';

/**
 * Does whatever the state shows as possible and not done. Everything that a turn does by itself starts here and follows
 * from the state alone, so that a takeover is no special case: it forgets what ran in the lost process, and what is
 * missing is started again.
 */
export function advance(step: Step): void {
  while (!step.state.ended && proceed(step)) {
    // Each round does one thing and looks again.
  }
  tellPhase(step);
}

/** Does one thing; false when the turn waits for something or has nothing left to do. */
function proceed(step: Step): boolean {
  const { state } = step;
  if (!state.request) {
    beginEnding(step, tandem.TurnEnd.FAILED, unsupported('a stream that does not begin with a request'));
    return proceedEnding(step);
  }
  if (proceedBlobs(step)) return true;
  if (state.ending) return proceedEnding(step);
  if (!state.request.action) return proceedPrewarm(step);
  if (!state.turn) return proceedOpening(step);
  if (proceedCheckpoint(step)) return true;
  if (userShellAction(state)) return proceedCommandTurn(step);
  return state.toolCalls.length > 0 ? proceedTools(step) : proceedModel(step);
}

/** A prewarmed turn has together what it will need when its action comes. What fails then is told then. */
function proceedPrewarm(step: Step): boolean {
  return proceedContext(step) || (!step.state.restore.fault && proceedRestore(step));
}

function proceedCommandTurn(step: Step): boolean {
  if (!isUserShellOver(step.state)) return proceedUserShell(step);
  step.stopTimer(USER_SHELL_TIMER);
  recordUserShell(step);
  beginEnding(step, tandem.TurnEnd.COMPLETED);
  return true;
}

/** Metrics and traces are made of phases. */
export function tellPhase(step: Step): void {
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
