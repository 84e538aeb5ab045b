import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { startRestore } from '../restore/index.ts';
import type { TurnState } from '../state.ts';
import type { OpenedRequest } from './state.ts';

/** Stands for the action of a request that has none, so that it is refused like other unknown ones. */
const NO_ACTION = create(agent.ConversationActionSchema);

/** A later attempt's request opens nothing: the turn goes on with the first one's. */
export function evolveRunRequest(state: TurnState, run: agent.AgentRunRequest): TurnState {
  return state.request?.action ? state : openRequest(state, { run, action: run.action ?? NO_ACTION });
}

/** A prewarm has the fields of a run, without its action. */
export function evolvePrewarm(state: TurnState, prewarm: agent.PrewarmRequest): TurnState {
  if (state.request) return state;
  const { $typeName: _, $unknown: __, bestOfNGroupId, tryUseBestOfNPromotion, ...fields } = prewarm;
  return openRequest(state, { run: create(agent.AgentRunRequestSchema, fields), action: undefined });
}

/** The turn is about this. */
export function openRequest(state: TurnState, request: OpenedRequest): TurnState {
  const inline = inlineContext(request.action);
  const { context } = state;
  // A prewarm that got no context is no reason to go without one.
  const isMissing = context.status === 'known' && !context.value;
  return {
    ...state,
    request,
    restore: startRestore(state.restore, request.run, request.action),
    context: inline ? { status: 'known', value: inline } : isMissing ? { status: 'unknown' } : context,
  };
}

function inlineContext(action: agent.ConversationAction | undefined): agent.RequestContext | undefined {
  if (action?.requestContextParts?.dynamicContext) return action.requestContextParts.dynamicContext;
  const value = action?.action.value;
  return value && 'requestContext' in value ? value.requestContext : undefined;
}
