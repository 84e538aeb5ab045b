import { TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';
import { proceedContext } from './context.ts';
import { beginEnding } from './ending.ts';
import { unsupported } from './errors.ts';
import { openTurn } from './open-turn.ts';
import { requestedModel } from './requested-model.ts';
import { proceedRestore } from './restore.ts';
import type { Step } from './step.ts';

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
  return true;
}

/** Why a request can't be served, as far as it shows at once. */
function requestFault({ state, config }: Step): TandemError | undefined {
  const action = state.request?.action?.action;
  switch (action?.case) {
    case 'userMessageAction':
      if (!action.value.userMessage) {
        return new TandemError('bad_request', { detail: 'The action has no user message.' });
      }
      break;
    case 'resumeAction':
      if (!state.request?.run.conversationState?.rootPromptMessagesJson.length) {
        return new TandemError('bad_request', { detail: 'There is no conversation to resume.' });
      }
      break;
    case 'backgroundTaskCompletionAction':
      break;
    default:
      return unsupported(action?.case ?? 'an empty or unknown action');
  }
  const model = requestedModel(state);
  if (!model) return new TandemError('model_missing');
  if (config.models.find(model)) return undefined;
  return new TandemError('model_not_found', {
    title: `The model "${printable(model)}" is not known to this server.`,
  });
}

/** A client's text in a text of ours: short, and on one line. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 80);
}

/** What a user starts makes its conversation's earlier turn obsolete; what wakes up by itself waits for its turn. */
function needsClaim({ state }: Step): boolean {
  const kind = state.request?.action?.action.case;
  const byUser = kind === 'userMessageAction' || kind === 'resumeAction';
  return byUser && !state.claimed && Boolean(state.request?.run.conversationId);
}

function proceedClaim(step: Step): boolean {
  if (!needsClaim(step) || step.state.process.claiming) return false;
  step.local({ type: 'claiming' });
  step.effect({
    type: 'claim_conversation',
    conversationId: step.state.request?.run.conversationId ?? '',
  });
  return true;
}
