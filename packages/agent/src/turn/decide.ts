import type { TurnInput } from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';
import { type agent, tandem } from '@tandem/proto';
import { advance } from './advance.ts';
import { decideAttempt, decideResponseEnded } from './attempts/attempt.ts';
import { BLOB_TIMER, decideBlobTimeout, decideKvAnswer } from './blobs/blobs.ts';
import { CONTEXT_TIMER, decideContextTimeout } from './context/request-context.ts';
import type { AgentResult } from './effects.ts';
import { beginEnding, decideEndingTimeout, ENDING_TIMER, endAbandoned } from './ending/ending.ts';
import { decideAction } from './injections/decide-action.ts';
import { decideModelEvent, decideModelFailure } from './model-call/model-call.ts';
import type { Step } from './step.ts';
import { decideToolTimeout } from './tool-calls/deadlines.ts';
import { decideJobDone, decidePauseEnd } from './tool-calls/server-waits.ts';
import { showShellOutput } from './tool-calls/shell-output.ts';
import { decideUserShellTimeout, showUserShellOutput, USER_SHELL_TIMER } from './user-shell/user-shell.ts';

/** Decides what follows from an input. */
export function decide(step: Step, input: TurnInput<AgentResult>): void {
  if (step.state.ended) {
    if (input.type === 'attempt') decideAttempt(step, input.requestId, input.message);
    return;
  }
  switch (input.type) {
    case 'command':
      if (!decideCommand(step, input.message)) return;
      break;
    case 'result':
      // By far the most frequent input, and nothing else can follow from it.
      if (decideResult(step, input.result) === 'shown') return;
      break;
    case 'attempt':
      decideAttempt(step, input.requestId, input.message);
      break;
    case 'response_ended':
      decideResponseEnded(step, input.position, input.trusted);
      return;
    case 'superseded':
      beginEnding(step, tandem.TurnEnd.CANCELED, new TandemError('superseded'));
      break;
    case 'orphaned':
      endAbandoned(step);
      return;
    case 'failed':
      beginEnding(step, tandem.TurnEnd.FAILED, input.error);
      break;
    case 'claimed':
      if (!step.state.activated) step.record({ case: 'conversationClaimed', value: {} });
      break;
    case 'timer':
      decideTimer(step, input.name);
      break;
    case 'resumed':
      break;
  }
  advance(step);
}

/** Returns false for messages that change nothing. */
function decideCommand(step: Step, { message }: agent.AgentClientMessage): boolean {
  switch (message.case) {
    case 'runRequest':
    case 'prewarmRequest':
    case 'interactionResponse':
    case 'execClientControlMessage':
      return true;
    case 'execClientMessage':
      // Output is only shown; nothing else follows from it.
      return !(showUserShellOutput(step, message.value) || showShellOutput(step, message.value));
    case 'kvClientMessage':
      decideKvAnswer(step, message.value);
      return true;
    case 'conversationAction':
      decideAction(step, message.value);
      return true;
    case 'clientHeartbeat':
    // A message of a newer client. Its kind is unknown, so nothing waits for it.
    case undefined:
      // None of them begins a turn, and the client is told so.
      return step.state.request === undefined;
  }
}

function decideResult(step: Step, result: AgentResult): 'shown' | 'more' {
  switch (result.type) {
    case 'model_event':
      decideModelEvent(step, result.call, result.event);
      return result.event.type === 'finish' ? 'more' : 'shown';
    case 'notice':
      step.update({ case: 'textDelta', value: { text: result.text, isServerNotice: true } });
      return 'shown';
    case 'model_failed':
      decideModelFailure(step, result.call, result.error);
      return 'more';
    case 'job_done':
      decideJobDone(step, result.name, result.result);
      return 'more';
    case 'blobs_loaded':
      step.local({ type: 'blobs_loaded', found: result.found });
      return 'more';
  }
}

function decideTimer(step: Step, name: string): void {
  step.local({ type: 'timer', name, running: false });
  if (name === BLOB_TIMER) decideBlobTimeout(step);
  else if (name === CONTEXT_TIMER) decideContextTimeout(step);
  else if (name === ENDING_TIMER) decideEndingTimeout(step);
  else if (name === USER_SHELL_TIMER) decideUserShellTimeout(step);
  else if (!decidePauseEnd(step, name)) decideToolTimeout(step, name);
}
