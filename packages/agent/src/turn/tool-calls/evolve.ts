import type { Position } from '@tandem/actor-core';
import { type agent, tandem } from '@tandem/proto';
import type { AssistantMessage, ToolCallPart } from '../../model/message.ts';
import { endsShell, evolveShell, NEW_SHELL_RUN } from '../../tools/shell-run.ts';
import type { Answer, ServerAnswer } from '../../tools/steps.ts';
import type { ToolOutput } from '../../tools/tool.ts';
import { clientHas } from '../delivery.ts';
import type { TurnState } from '../state.ts';
import type { HookContext, ToolCall, ToolCallsState } from './state.ts';

/** The message that was appended last may be an answer with calls. */
export function evolveCalls(state: TurnState): TurnState {
  const message = state.appended.at(-1)?.message;
  return { ...state, toolCalls: message?.role === 'assistant' ? callsOf(message) : [] };
}

/** The client was asked to run something for a tool call. */
export function evolveToolExec(state: TurnState, exec: agent.ExecServerMessage, at: Position): TurnState {
  if (!exec.execId) return state;
  const openExecs = new Map(state.openExecs).set(exec.id, at);
  return changeCall({ ...state, openExecs }, exec.execId, (call) => requested(call, exec.id, at));
}

/** The client tells of an exec of a tool call. */
export function evolveToolResult(before: TurnState, answer: agent.ExecClientMessage): TurnState {
  const { id, message } = answer;
  const state = addHooks(before, answer);
  if (message.case !== 'shellStream') {
    return closeExec(
      changeWaiting(state, 'exec', id, (call) => answered(call, { type: 'exec', message })),
      id,
    );
  }
  const { event } = message.value;
  const next = changeWaiting(state, 'exec', id, (call) => {
    if (call.pending?.type !== 'exec') return call;
    const shell = evolveShell(call.pending.shell, event);
    return shell.end
      ? answered(call, { type: 'shell', run: shell })
      : { ...call, pending: { ...call.pending, shell } };
  });
  return endsShell(event) ? closeExec(next, id) : next;
}

/** The client is done with an exec without an answer. */
export function evolveToolClosed(state: TurnState, { message }: agent.ExecClientControlMessage): TurnState {
  if (message.case !== 'throw' && message.case !== 'streamClose') return state;
  const { id } = message.value;
  const [kind, detail] =
    message.case === 'throw'
      ? [tandem.ToolFailure.THROWN, message.value.error.slice(0, 2000)]
      : [tandem.ToolFailure.CLOSED, ''];
  return closeExec(
    changeWaiting(state, 'exec', id, (call) => failed(call, kind, detail)),
    id,
  );
}

/** A question for the user is about to be put for a call. */
export function evolveToolQueryAsked(state: TurnState, { callId, queryId }: tandem.QueryAsked): TurnState {
  const pending = { type: 'query', id: queryId, at: { entry: 0, item: 0 } } as const;
  return changeCall(state, callId, (call) => ({ ...call, pending }));
}

/** The user was asked; which call it is for was recorded just before. */
export function evolveToolQuery(state: TurnState, { id }: agent.InteractionQuery, at: Position): TurnState {
  const call = waitingCall(state, 'query', id);
  const next = { ...state, nextQuery: id + 1 };
  return call ? changeCall(next, call.callId, () => ({ ...call, pending: { type: 'query', id, at } })) : next;
}

/** The user has answered. */
export function evolveToolResponse(state: TurnState, { id, result }: agent.InteractionResponse): TurnState {
  return changeWaiting(state, 'query', id, (call) => answered(call, { type: 'query', result }));
}

export function evolveToolStarted(
  state: TurnState,
  { callId }: agent.ToolCallStartedUpdate,
  startedAt: number,
): TurnState {
  return changeCall(state, callId, (call) => ({ ...call, started: true, startedAt }));
}

export function evolveToolCompleted(
  state: TurnState,
  { callId, toolCall }: agent.ToolCallCompletedUpdate,
): TurnState {
  return changeCall(state, callId, (call) => ({ ...call, shown: toolCall }));
}

export function evolveToolFailed(
  state: TurnState,
  { callId, failure, detail }: tandem.ToolFailed,
): TurnState {
  return changeCall(state, callId, (call) => failed(call, failure, detail));
}

export function evolveToolEnded(state: TurnState, { callId, outputJson }: tandem.ToolEnded): TurnState {
  const output = JSON.parse(outputJson) as ToolOutput;
  const over = { pending: undefined, waitsForServer: false, answers: [], output };
  return changeCall(state, callId, (call) => ({ ...call, ...over }));
}

export function evolveToolWaits(state: TurnState, { callId }: tandem.ToolWaits): TurnState {
  return changeCall(state, callId, (call) => ({ ...call, waitsForServer: true }));
}

export function evolveToolAnswered(state: TurnState, { callId, answerJson }: tandem.ToolAnswered): TurnState {
  const answer = JSON.parse(answerJson) as ServerAnswer;
  return changeCall(state, callId, (call) => answered(call, answer));
}

/** A call has changed the conversation's state. */
export function evolveChanges(state: TurnState, record: tandem.ToolKept): TurnState {
  const { todos, plan, mode } = state.changes;
  return {
    ...state,
    changes: {
      todos: record.todos ? record.todoBlobIds : todos,
      plan: record.planBlobId.length > 0 ? record.planBlobId : plan,
      mode: record.mode || mode,
    },
  };
}

function addHooks(state: TurnState, answer: agent.ExecClientMessage): TurnState {
  const added = hookContexts(answer);
  const call = added.length > 0 ? waitingCall(state, 'exec', answer.id) : undefined;
  return call ? changeCall(state, call.callId, () => ({ ...call, hooks: [...call.hooks, ...added] })) : state;
}

/** The client is done with an exec, whoever still waits for it. */
function closeExec(state: TurnState, id: number): TurnState {
  if (!state.openExecs.has(id)) return state;
  const openExecs = new Map(state.openExecs);
  openExecs.delete(id);
  return { ...state, openExecs };
}

function changeWaiting(
  state: TurnState,
  type: 'exec' | 'query',
  id: number,
  change: (call: ToolCall) => ToolCall,
): TurnState {
  const call = waitingCall(state, type, id);
  return call?.pending ? changeCall(clientHas(state, call.pending.at), call.callId, change) : state;
}

function changeCall(state: TurnState, callId: string, change: (call: ToolCall) => ToolCall): TurnState {
  const index = state.toolCalls.findIndex((call) => call.callId === callId);
  const call = state.toolCalls[index];
  return call ? { ...state, toolCalls: state.toolCalls.with(index, change(call)) } : state;
}

/** What comes with a client's answer to an exec. */
function hookContexts({ message, hookAdditionalContexts }: agent.ExecClientMessage): HookContext[] {
  const event = message.case === 'shellStream' ? message.value.event : undefined;
  const streamed = event?.case === 'hookContext' ? event.value.hookAdditionalContexts : [];
  return [...streamed, ...hookAdditionalContexts]
    .filter(({ content }) => content.trim() !== '')
    .map(({ hookEventName, content }) => ({ hookEventName, content }));
}

/** The calls that an answer asks for, none of them begun. */
export function callsOf({ content }: AssistantMessage): ToolCall[] {
  return content
    .filter((part): part is ToolCallPart => part.type === 'tool-call')
    .map(({ toolCallId, toolName, input }) => ({
      callId: toolCallId,
      name: toolName,
      input,
      started: false,
      startedAt: 0,
      pending: undefined,
      answers: [],
      waitsForServer: false,
      hooks: [],
      failure: undefined,
      shown: undefined,
      output: undefined,
    }));
}

/** The client was asked: a shell starts to be listened to. */
function requested(call: ToolCall, id: number, at: Position): ToolCall {
  return { ...call, pending: { type: 'exec', id, at, shell: NEW_SHELL_RUN } };
}

/** The client answered what was asked last. */
function answered(call: ToolCall, answer: Answer): ToolCall {
  return { ...call, pending: undefined, waitsForServer: false, answers: [...call.answers, answer] };
}

/** No answer will come, or none that counts. */
function failed(call: ToolCall, kind: tandem.ToolFailure, detail = ''): ToolCall {
  return call.output
    ? call
    : { ...call, pending: undefined, waitsForServer: false, failure: { kind, detail } };
}

/** What the model is told of a call that failed. */
export function failureText({ kind, detail }: NonNullable<ToolCall['failure']>): string {
  const { ToolFailure } = tandem;
  switch (kind) {
    case ToolFailure.THROWN:
      return `The client could not do it: ${detail}`;
    case ToolFailure.CLOSED:
      return 'The client ended it without an answer.';
    case ToolFailure.TIMED_OUT:
      return 'No answer came in time, and it was stopped. It may have had some of its effect.';
    case ToolFailure.LOST:
      return 'Interrupted, outcome unknown: check before repeating it.';
    case ToolFailure.CANCELED:
      return 'Stopped before it was finished.';
    default:
      return 'The client gave an answer that is not understood.';
  }
}

/** The call that waits for an exec or a query. */
export function waitingCall(state: ToolCallsState, type: 'exec' | 'query', id: number): ToolCall | undefined {
  return state.toolCalls.find(({ pending }) => pending?.type === type && pending.id === id);
}
