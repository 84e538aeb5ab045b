import { create } from '@bufbuild/protobuf';
import { agent, tandem } from '@tandem/proto';
import { opensTurn } from './actions/rules.ts';
import { evolveQueued } from './injections/queue.ts';
import { later } from './position.ts';
import { answerBlob, startRestore } from './restore/state.ts';
import type { ContextState, OpenedRequest, TurnState } from './state.ts';
import { evolveExecControl, evolveExecMessage, evolveInteraction } from './tool-calls/evolve.ts';
import { evolveUserShellEvent, evolveUserShellFailure } from './user-shell/user-shell.ts';

/** Stands for the action of a request that has none, so that it is refused like other unknown ones. */
const NO_ACTION = create(agent.ConversationActionSchema);

/** Applies what a client said. Only what waits for it changes; anything else is left to `decide`. */
export function evolveCommand(state: TurnState, command: agent.AgentClientMessage): TurnState {
  const { case: kind, value } = command.message;
  switch (kind) {
    case 'runRequest':
      // A later attempt's request opens nothing: the turn goes on with the first one's.
      return state.request?.action ? state : open(state, { run: value, action: value.action ?? NO_ACTION });
    case 'prewarmRequest':
      return state.request ? state : open(state, { run: runOf(value), action: undefined });
    case 'conversationAction':
      return conversationAction(state, value);
    case 'kvClientMessage':
      return kvAnswer(state, value);
    case 'execClientMessage':
      return evolveExecMessage(evolveUserShellEvent(execAnswer(state, value), value), value);
    case 'execClientControlMessage':
      return evolveExecControl(execClosed(state, value), value);
    case 'interactionResponse':
      return evolveInteraction(state, value);
    default:
      return state;
  }
}

/** Begins the turn of a stream that was prewarmed, or comes to a turn that runs. */
function conversationAction(state: TurnState, action: agent.ConversationAction): TurnState {
  if (!state.request) return state;
  if (!state.request.action && opensTurn(action)) return open(state, { run: state.request.run, action });
  return evolveQueued(state, action);
}

function open(state: TurnState, request: OpenedRequest): TurnState {
  const inline = inlineContext(request.action);
  return {
    ...state,
    request,
    restore: startRestore(state.restore, request.run, request.action),
    context: inline ? { status: 'known', value: inline } : askAgain(state.context),
  };
}

/** A prewarm that got no context is no reason to go without one. */
function askAgain(context: ContextState): ContextState {
  return context.status === 'known' && !context.value ? { status: 'unknown' } : context;
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
  const write = state.pendingWrites.get(id);
  if (message.case !== 'setBlobResult' || !write) return state;
  const pendingWrites = new Map(state.pendingWrites);
  if (message.value.error) pendingWrites.set(id, { ...write, refused: true });
  else pendingWrites.delete(id);
  return known({ ...state, pendingWrites }, write.at);
}

function execAnswer(state: TurnState, { id, message }: agent.ExecClientMessage): TurnState {
  const result = message.case === 'requestContextResult' ? message.value : undefined;
  return contextAnswer(state, id, result);
}

function execClosed(state: TurnState, { message }: agent.ExecClientControlMessage): TurnState {
  if (message.case !== 'throw' && message.case !== 'streamClose') return state;
  const { ToolFailure } = tandem;
  const failure = message.case === 'throw' ? ToolFailure.THROWN : ToolFailure.CLOSED;
  const { id } = message.value;
  return evolveUserShellFailure(contextAnswer(state, id, undefined), id, failure);
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
