import type { TurnInput } from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';
import { type agent, tandem } from '@tandem/proto';
import { advance } from './advance.ts';
import { decideAttempt, decideResponseEnded } from './attempts/index.ts';
import { decideBlobTimeout, decideKvAnswer } from './blobs/index.ts';
import { decideContextTimeout } from './context/index.ts';
import type { AgentResult, AgentTimer } from './effects.ts';
import { decideEndingTimeout, decideOrphaned } from './ending/index.ts';
import { decideAction } from './injections/index.ts';
import { decideModelEvent, decideModelFailure } from './model-call/index.ts';
import { decideActivated } from './opening/index.ts';
import type { Step } from './step.ts';
import { decideExecTimeout, decideJobDone, decidePauseEnd, showShellOutput } from './tool-calls/index.ts';
import { decideUserShellTimeout, showUserShellOutput } from './user-shell/index.ts';
import { failed, type Verdict } from './verdict.ts';

/** Decides what follows from an input. */
export function decide(step: Step, input: TurnInput<AgentResult>): void {
  if (!step.state.ended) advance(step, decideInput(step, input));
  else if (input.type === 'attempt') decideAttempt(step, input.requestId, input.message);
}

function decideInput(step: Step, input: TurnInput<AgentResult>): Verdict {
  switch (input.type) {
    case 'command':
      return decideCommand(step, input.message);
    case 'result':
      return decideResult(step, input.result);
    case 'attempt':
      return decideAttempt(step, input.requestId, input.message);
    case 'response_ended':
      return decideResponseEnded(step, input.position, input.trusted);
    case 'superseded':
      return { end: tandem.TurnEnd.CANCELED, error: new TandemError('superseded') };
    case 'orphaned':
      return decideOrphaned(step);
    case 'failed':
      return failed(input.error);
    case 'activated':
      return decideActivated(step);
    case 'resumed':
      return 'advance';
  }
}

/** A client's message; what waits for it has been changed by it already. */
function decideCommand(step: Step, { message }: agent.AgentClientMessage): Verdict {
  switch (message.case) {
    case 'runRequest':
    case 'prewarmRequest':
    case 'interactionResponse':
    case 'execClientControlMessage':
      return 'advance';
    case 'execClientMessage':
      // Output is only shown; nothing else follows from it.
      return showUserShellOutput(step, message.value) || showShellOutput(step, message.value)
        ? undefined
        : 'advance';
    case 'kvClientMessage':
      return decideKvAnswer(step, message.value);
    case 'conversationAction':
      return decideAction(step, message.value);
    case 'clientHeartbeat':
    // A message of a newer client. Its kind is unknown, so nothing waits for it.
    case undefined:
      // None of them begins a turn, and the client is told so.
      return step.state.request ? undefined : 'advance';
  }
}

function decideResult(step: Step, result: AgentResult): Verdict {
  switch (result.type) {
    case 'model_event':
      return decideModelEvent(step, result.call, result.event);
    case 'model_failed':
      return decideModelFailure(step, result.call, result.error);
    case 'notice':
      step.update({ case: 'textDelta', value: { text: result.text, isServerNotice: true } });
      return undefined;
    case 'job_done':
      return decideJobDone(step, result.name, result.result);
    case 'blobs_loaded':
      step.local({ type: 'blobs_loaded', found: result.found });
      return 'advance';
    case 'timer':
      step.local({ type: 'timer', timer: result.timer, running: false });
      return decideTimer(step, result.timer);
  }
}

function decideTimer(step: Step, timer: AgentTimer): Verdict {
  switch (timer.type) {
    case 'blobs':
      return decideBlobTimeout(step);
    case 'request_context':
      return decideContextTimeout(step);
    case 'ending':
      return decideEndingTimeout(step);
    case 'user_shell':
      return decideUserShellTimeout(step);
    case 'exec':
      return decideExecTimeout(step, timer);
    case 'pause':
      return decidePauseEnd(step, timer.wait);
  }
}
