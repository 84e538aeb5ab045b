import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { evolveExecControl, evolveExecMessage, evolveInteraction } from './evolve-tools.ts';
import { later } from './position.ts';
import { answerBlob, startRestore } from './restore-state.ts';
import type { OpenedRequest, TurnState } from './state.ts';

/** Applies what a client said. Only what waits for it changes; anything else is left to `decide`. */
export function evolveCommand(state: TurnState, command: agent.AgentClientMessage): TurnState {
  const { case: kind, value } = command.message;
  switch (kind) {
    case 'runRequest':
      // A later attempt's request opens nothing: the turn goes on with the first one's.
      return state.request ? state : open(state, { run: value, action: value.action });
    case 'prewarmRequest':
      return state.request ? state : open(state, { run: runOf(value), action: undefined });
    case 'conversationAction':
      return state.request && !state.request.action && opensTurn(value)
        ? open(state, { run: state.request.run, action: value })
        : state;
    case 'kvClientMessage':
      return kvAnswer(state, value);
    case 'execClientMessage':
      return evolveExecMessage(execAnswer(state, value), value);
    case 'execClientControlMessage':
      return evolveExecControl(execClosed(state, value), value);
    case 'interactionResponse':
      return evolveInteraction(state, value);
    default:
      return state;
  }
}

/** Actions that begin a turn; the others concern one that runs. */
function opensTurn({ action }: agent.ConversationAction): boolean {
  return action.case !== 'cancelAction' && action.case !== 'injectContextAction';
}

function open(state: TurnState, request: OpenedRequest): TurnState {
  const inline = inlineContext(request.action);
  return {
    ...state,
    request,
    restore: startRestore(request.run, request.action),
    context: inline ? { status: 'known', value: inline } : state.context,
  };
}

function inlineContext(action: agent.ConversationAction | undefined): agent.RequestContext | undefined {
  if (action?.requestContextParts?.dynamicContext) return action.requestContextParts.dynamicContext;
  const value = action?.action.value;
  return value && 'requestContext' in value ? value.requestContext : undefined;
}

/** A prewarm has the fields of a run, without its action. */
function runOf(prewarm: agent.PrewarmRequest): agent.AgentRunRequest {
  const { $typeName: _, $unknown: __, bestOfNGroupId, tryUseBestOfNPromotion, ...fields } = prewarm;
  return create(agent.AgentRunRequestSchema, fields);
}

function kvAnswer(state: TurnState, { id, message }: agent.KvClientMessage): TurnState {
  if (message.case === 'getBlobResult') {
    const question = state.restore.asked.get(id);
    if (!question) return state;
    const data = message.value.error ? undefined : message.value.blobData;
    return known({ ...state, restore: answerBlob(state.restore, id, data) }, question.at);
  }
  const write = state.sets.get(id);
  if (message.case !== 'setBlobResult' || !write) return state;
  const sets = new Map(state.sets);
  if (message.value.error) sets.set(id, { ...write, refused: true });
  else sets.delete(id);
  return known({ ...state, sets }, write.at);
}

function execAnswer(state: TurnState, { id, message }: agent.ExecClientMessage): TurnState {
  const result = message.case === 'requestContextResult' ? message.value : undefined;
  return contextAnswer(state, id, result);
}

function execClosed(state: TurnState, { message }: agent.ExecClientControlMessage): TurnState {
  if (message.case !== 'throw' && message.case !== 'streamClose') return state;
  return contextAnswer(state, message.value.id, undefined);
}

/** An answer of another kind, a throw or a close without an answer all mean: no context. */
function contextAnswer(
  state: TurnState,
  execId: number,
  result: agent.RequestContextResult | undefined,
): TurnState {
  if (state.context.status !== 'asked' || state.context.exec !== execId) return state;
  const value = result?.result.case === 'success' ? result.result.value.requestContext : undefined;
  return known({ ...state, context: { status: 'known', value } }, state.context.at);
}

/** Who answers a request has the frame it came in. */
function known(state: TurnState, at: { entry: number; item: number }): TurnState {
  return { ...state, delivery: { ...state.delivery, known: later(state.delivery.known, at) } };
}
