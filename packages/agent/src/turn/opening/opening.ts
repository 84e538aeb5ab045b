import { TandemError } from '@tandem/errors';
import { type agent, tandem } from '@tandem/proto';
import { ruleOf } from '../actions/rules.ts';
import { proceedContext } from '../context/request-context.ts';
import { requestedModel } from '../context/requested-model.ts';
import { beginEnding } from '../ending/ending.ts';
import { unsupported } from '../ending/ending-record.ts';
import { proceedRestore } from '../restore/load-blobs.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { openTurn } from './open-turn.ts';

/** Brings together all that the first model call needs; the parts are asked for at the same time. */
export function proceedOpening(step: Step): boolean {
  const fault = requestFault(step);
  if (fault) {
    beginEnding(step, tandem.TurnEnd.FAILED, fault);
    return true;
  }
  if (proceedClaim(step) || proceedContext(step) || proceedRestore(step)) return true;
  const { state } = step;
  const waits = needsClaim(step) || state.context.status !== 'known' || state.restore.missing > 0;
  if (waits) return false;
  openTurn(step);
  if (isOnlyRecorded(step)) beginEnding(step, tandem.TurnEnd.COMPLETED);
  return true;
}

/** Why a request can't be served, as far as it shows at once. */
function requestFault({ state, config }: Step): TandemError | undefined {
  const action = state.request?.action;
  const rule = ruleOf(action);
  if (!action || !rule) return unsupported('an empty or unknown action');
  const fault = rule.opens === 'refused' ? refusal(action) : actionFault(state, action);
  if (fault || rule.opens === 'command') return fault;
  const model = requestedModel(state);
  if (!model) return new TandemError('model_missing');
  if (config.models.find(model)) return undefined;
  return new TandemError('model_not_found', {
    title: `The model "${printable(model)}" is not known to this server.`,
  });
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
function needsClaim({ state }: Step): boolean {
  return !state.activated && Boolean(state.request?.run.conversationId);
}

/** What a user starts makes its conversation's earlier turn obsolete; what wakes up by itself waits for its end. */
function proceedClaim(step: Step): boolean {
  const { state } = step;
  if (!needsClaim(step) || state.process.activating) return false;
  step.local({ type: 'activating' });
  step.effect({
    type: 'claim_conversation',
    conversationId: state.request?.run.conversationId ?? '',
    patient: !ruleOf(state.request?.action)?.byUser,
  });
  return true;
}
