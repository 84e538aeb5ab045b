import type { agent } from '@tandem/proto';
import { actionMessages, ruleOf, showsMessages } from '../actions.ts';
import { contentBlobs, extendRestore } from '../restore/index.ts';
import type { TurnState } from '../state.ts';
import type { QueuedInput } from './state.ts';

/** So many wait at a time at most; more would only be a client's mistake. */
const MOST = 64;

/** Takes in what is to be delivered to the model; what can't be is left to `decide`. */
export function evolveQueued(state: TurnState, action: agent.ConversationAction): TurnState {
  if (ruleOf(action)?.running !== 'delivered' || queueFault(state, action)) return state;
  const input = queuedInput(action);
  const restore = extendRestore(state.restore, contentBlobs(input.messages));
  return { ...state, restore, queued: [...state.queued, input] };
}

/** Why an action can't be delivered to the running turn; undefined when it can. */
export function queueFault(state: TurnState, { action }: agent.ConversationAction): string | undefined {
  if (state.ending || state.ended) return 'The turn is about to end.';
  if (state.queued.length >= MOST) return 'Too much waits to be delivered.';
  if (action.case !== 'injectContextAction') return undefined;
  const { injectionId, expectedRunId, payload } = action.value;
  const runId = state.request?.run.runId || state.facts.requestId;
  if (expectedRunId && expectedRunId !== runId && expectedRunId !== state.requestId) {
    return 'Another run is active.';
  }
  if (state.injectionStates.has(injectionId)) return 'It was sent before.';
  if (payload.case === 'userContext' && payload.value.userMessage) return undefined;
  return payload.case === 'systemContext' ? undefined : 'There is nothing to be delivered.';
}

/** Clients were told what became of an injection. */
export function evolveInjectionState(state: TurnState, update: agent.ContextInjectionStateUpdate): TurnState {
  // What was rejected is not remembered: the next one of its name is looked at anew.
  if (update.state?.state.case === 'rejected') return state;
  const injectionStates = new Map(state.injectionStates).set(update.injectionId, update.state?.state.case);
  if (update.state?.state.case === 'queued') return { ...state, injectionStates };
  return {
    ...state,
    injectionStates,
    queued: state.queued.filter(({ injectionId }) => injectionId !== update.injectionId),
  };
}

function queuedInput(action: agent.ConversationAction): QueuedInput {
  const { case: kind, value } = action.action;
  const inject = kind === 'injectContextAction' ? value : undefined;
  const payload = inject?.payload;
  return {
    injectionId: inject?.injectionId,
    messages: actionMessages(action),
    system: payload?.case === 'systemContext' ? payload.value : undefined,
    context:
      payload?.case === 'userContext'
        ? payload.value.requestContext
        : value && 'requestContext' in value
          ? value.requestContext
          : undefined,
    shown: payload?.case === 'userContext' || showsMessages(action),
  };
}

/** What came first was delivered. */
export function evolveDelivered(state: TurnState): TurnState {
  return { ...state, queued: state.queued.slice(1) };
}
