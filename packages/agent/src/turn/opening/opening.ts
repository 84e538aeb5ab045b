import { TandemError } from '@tandem/errors';
import type { agent } from '@tandem/proto';
import { ruleOf } from '../actions.ts';
import { proceedContext, requestedModel } from '../context/index.ts';
import { proceedRestore } from '../restore/index.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { COMPLETED, type EndTurn, failed, unsupported, type Verdict } from '../verdict.ts';
import { openTurn } from './open-turn.ts';

/** Brings together all that the first model call needs; the parts are asked for at the same time. */
export function proceedOpening(step: Step): Verdict {
  const asked = requestFault(step) ?? proceedActivation(step) ?? proceedContext(step) ?? proceedRestore(step);
  if (asked) return asked;
  const { state } = step;
  const waits = needsActivation(step) || state.context.status !== 'known' || state.restore.missing > 0;
  if (waits) return undefined;
  openTurn(step);
  return isOnlyRecorded(step) ? COMPLETED : 'advance';
}

/** The conversation is this turn's. */
export function decideActivated(step: Step): Verdict {
  if (!step.state.activated) step.record({ case: 'conversationClaimed', value: {} });
  return 'advance';
}

/** Why a request can't be served, as far as it shows at once. */
function requestFault({ state, config }: Step): EndTurn | undefined {
  const action = state.request?.action;
  const rule = ruleOf(action);
  if (!action || !rule) return unsupported('an empty or unknown action');
  const fault = rule.opens === 'refused' ? refusal(action) : actionFault(state, action);
  if (fault) return failed(fault);
  if (rule.opens === 'shell') return undefined;
  const model = requestedModel(state);
  if (!model) return failed(new TandemError('model_missing'));
  if (config.models.find(model)) return undefined;
  const title = `The model "${printable(model)}" is not known to this server.`;
  return failed(new TandemError('model_not_found', { title }));
}

/** Why an action can't begin a turn of its own. */
function refusal({ action }: agent.ConversationAction): TandemError {
  if (action.case === 'summarizeAction') {
    return new TandemError('unsupported', {
      title: 'This server does not summarize conversations yet.',
      detail: 'Start a new conversation when this one has become too long.',
    });
  }
  return new TandemError('bad_request', { detail: `There is no turn that ${action.case} could concern.` });
}

/** Why an action can't be carried out as it is. */
function actionFault(state: TurnState, { action }: agent.ConversationAction): TandemError | undefined {
  const missing = (what: string) => new TandemError('bad_request', { detail: `The action has no ${what}.` });
  switch (action.case) {
    case 'userMessageAction':
    case 'startPlanAction':
      return action.value.userMessage ? undefined : missing('user message');
    case 'shellCommandAction':
      return action.value.shellCommand?.command.trim() ? undefined : missing('command');
    case 'backgroundTaskCompletionAction':
      return action.value.completions.length > 0 ? undefined : missing('completion');
    case 'subscriptionNotificationAction':
      return action.value.notifications.length > 0 ? undefined : missing('notification');
    case 'resumeAction':
    case 'goalContinuationAction':
      if (state.request?.run.conversationState?.rootPromptMessagesJson.length) return undefined;
      return new TandemError('bad_request', { detail: 'There is no conversation to go on with.' });
    default:
      return undefined;
  }
}

/** Completions that are only to be remembered: there is nothing that a model would have to say to them. */
function isOnlyRecorded({ state }: Step): boolean {
  const action = state.request?.action?.action;
  return (
    action?.case === 'backgroundTaskCompletionAction' &&
    action.value.completions.every(({ recordOnly }) => recordOnly)
  );
}

/** A client's text in a text of ours: short, and on one line. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 80);
}

/** One turn at a time goes on with a conversation. */
function needsActivation({ state }: Step): boolean {
  return !state.activated && Boolean(state.request?.run.conversationId);
}

/** What a user starts makes its conversation's earlier turn obsolete; what wakes up by itself waits for its end. */
function proceedActivation(step: Step): Verdict {
  const { state } = step;
  if (!needsActivation(step) || state.process.activating) return undefined;
  step.local({ type: 'activating' });
  step.effect({
    type: 'activate_conversation',
    conversationId: state.request?.run.conversationId ?? '',
    patient: !ruleOf(state.request?.action)?.byUser,
  });
  return undefined;
}
