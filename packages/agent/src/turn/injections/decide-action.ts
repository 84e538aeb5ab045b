import { type agent, tandem } from '@tandem/proto';
import { ruleOf } from '../actions.ts';
import { keepUnopened } from '../opening/index.ts';
import type { Step } from '../step.ts';
import { abortExec } from '../tool-calls/index.ts';
import type { Verdict } from '../verdict.ts';
import { answerInjection } from './deliver.ts';
import { queueFault } from './queue.ts';

/** Decides what follows from an action of the client; one that began the turn has been applied already. */
export function decideAction(step: Step, conversationAction: agent.ConversationAction): Verdict {
  const { request } = step.state;
  if (!request || request.action === conversationAction) return 'advance';
  const { action } = conversationAction;
  switch (action.case) {
    case 'cancelAction':
      return decideCancel(step, action.value);
    case 'injectContextAction':
      answerInjection(step, conversationAction, action.value);
      break;
    case 'cancelSubagentAction':
      cancelSubagent(step, action.value.subagentId);
      break;
    case 'backgroundShellAction':
      askExec(step, { case: 'forceBackgroundShellArgs', value: { toolCallId: action.value.toolCallId } });
      break;
    case 'backgroundSubagentAction':
      askExec(step, { case: 'forceBackgroundSubagentArgs', value: { toolCallId: action.value.toolCallId } });
      break;
    default:
      answerOther(step, conversationAction);
  }
  return 'advance';
}

/** What is delivered was taken in already, and what is moot needs no answer: the rest can't be done now. */
function answerOther(step: Step, conversationAction: agent.ConversationAction): void {
  const rule = ruleOf(conversationAction)?.running;
  if (rule === 'moot' || step.state.ending) return;
  if (rule !== 'delivered')
    notice(step, `This can't be done while a turn runs: ${nameOf(conversationAction)}.`);
  // Once taken in there may be no room for a next one, which says nothing about this one.
  else if (step.state.queued.length === 0) notice(step, queueFault(step.state, conversationAction) ?? '');
}

function decideCancel(
  step: Step,
  { interruptedPendingToolCallResolutions: resolutions }: agent.CancelAction,
): Verdict {
  if (step.state.ending) return 'advance';
  keepUnopened(step);
  return { end: tandem.TurnEnd.CANCELED, resolutions };
}

/** The user stops one subagent; the turn goes on without what it would have found. */
function cancelSubagent(step: Step, subagentId: string): void {
  for (const call of step.state.toolCalls) {
    if (call.pending?.type !== 'exec' || call.output) continue;
    const named = call.callId === subagentId || Object.values(call.input ?? {}).includes(subagentId);
    if (!named || subagentId === '') continue;
    abortExec(step, call.pending.id);
    const failure = tandem.ToolFailure.CANCELED;
    step.record({ case: 'toolFailed', value: { callId: call.callId, failure } });
  }
}

/** A request to the client whose answer nothing waits for: what comes of it shows in the call it is about. */
function askExec(
  step: Step,
  message: NonNullable<Parameters<Step['frame']>[0] & { case: 'execServerMessage' }>['value']['message'],
): void {
  if (step.state.ending) return;
  step.frame({ case: 'execServerMessage', value: { id: step.state.nextExec, message } });
}

/** Tells the user something in the place of an answer. */
function notice(step: Step, text: string): void {
  if (text) step.update({ case: 'textDelta', value: { text: `${text}\n`, isServerNotice: true } });
}

function nameOf({ action }: agent.ConversationAction): string {
  return action.case ?? 'an action that this server does not know';
}
