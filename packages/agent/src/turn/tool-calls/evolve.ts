import type { Position } from '@tandem/actor-core';
import { type agent, tandem } from '@tandem/proto';
import { endsShell, evolveShell } from '../../tools/shell-run.ts';
import type { ServerAnswer, ToolOutput } from '../../tools/tool.ts';
import { later } from '../position.ts';
import type { TurnState } from '../state.ts';
import { evolveUserShellFailure, USER_SHELL } from '../user-shell/user-shell.ts';
import { evolveChanges } from './changes.ts';
import { hookContexts } from './hook-context.ts';
import { answered, failed, requested, type ToolCall } from './tool-call.ts';

/** Applies what a client says of an exec of a tool call. */
export function evolveExecMessage(before: TurnState, answer: agent.ExecClientMessage): TurnState {
  const { id, message } = answer;
  const state = addHooks(before, answer);
  if (message.case !== 'shellStream') {
    return closeExec(
      changeAwaiting(state, 'exec', id, (call) => answered(call, { type: 'exec', message })),
      id,
    );
  }
  const { event } = message.value;
  const next = changeAwaiting(state, 'exec', id, (call) => {
    if (call.pending?.type !== 'exec') return call;
    const shell = evolveShell(call.pending.shell, event);
    return shell.end
      ? answered(call, { type: 'shell', run: shell })
      : { ...call, pending: { ...call.pending, shell } };
  });
  return endsShell(event) ? closeExec(next, id) : next;
}

export function evolveExecControl(state: TurnState, { message }: agent.ExecClientControlMessage): TurnState {
  if (message.case === 'throw') {
    const { id, error } = message.value;
    const next = changeAwaiting(state, 'exec', id, (call) =>
      failed(call, tandem.ToolFailure.THROWN, error.slice(0, 2000)),
    );
    return closeExec(next, id);
  }
  if (message.case !== 'streamClose') return state;
  const { id } = message.value;
  return closeExec(
    changeAwaiting(state, 'exec', id, (call) => failed(call, tandem.ToolFailure.CLOSED)),
    id,
  );
}

/** Applies a user's answer. */
export function evolveInteraction(state: TurnState, { id, result }: agent.InteractionResponse): TurnState {
  return changeAwaiting(state, 'query', id, (call) => answered(call, { type: 'query', result }));
}

/** The client was asked to run something for a tool call. */
export function evolveToolExec(state: TurnState, exec: agent.ExecServerMessage, at: Position): TurnState {
  if (!exec.execId) return state;
  const openExecs = new Map(state.openExecs).set(exec.id, at);
  return changeRun({ ...state, openExecs }, exec.execId, (call) => requested(call, exec.id, at));
}

/** The user was asked; which call it is for was recorded just before. */
export function evolveQuery(state: TurnState, { id }: agent.InteractionQuery, at: Position): TurnState {
  return changeAwaitingQuietly({ ...state, nextQuery: id + 1 }, 'query', id, (call) => ({
    ...call,
    pending: { type: 'query', id, at },
  }));
}

export function evolveToolStarted(
  state: TurnState,
  { callId }: agent.ToolCallStartedUpdate,
  startedAt: number,
): TurnState {
  return changeRun(state, callId, (call) => ({ ...call, started: true, startedAt }));
}

export function evolveToolCompleted(
  state: TurnState,
  { callId, toolCall }: agent.ToolCallCompletedUpdate,
): TurnState {
  return changeRun(state, callId, (call) => ({ ...call, shown: toolCall }));
}

/** What was shown of the arguments of a call, while the model still wrote them. */
export function evolvePartialCall(
  state: TurnState,
  { callId, toolCall }: agent.PartialToolCallUpdate,
): TurnState {
  const { model } = state;
  const kind = toolCall?.tool.case;
  if (!model || !kind || model.partials.some((partial) => partial.callId === callId)) return state;
  return { ...state, model: { ...model, partials: [...model.partials, { callId, kind }] } };
}

export function evolveToolRecord(
  state: TurnState,
  record: Extract<
    tandem.TurnRecord['kind'],
    {
      case:
        | 'toolRequested'
        | 'toolFailed'
        | 'toolEnded'
        | 'toolWaits'
        | 'toolAnswered'
        | 'toolKept'
        | 'queryAsked';
    }
  >,
): TurnState {
  const { case: kind, value } = record;
  switch (kind) {
    case 'toolRequested': {
      const { model } = state;
      return model ? { ...state, model: { ...model, calls: [...model.calls, value] } } : state;
    }
    case 'toolFailed':
      if (value.callId === USER_SHELL) return evolveUserShellFailure(state, undefined, value.failure);
      return changeRun(state, value.callId, (call) => failed(call, value.failure, value.detail));
    case 'toolEnded': {
      const output = JSON.parse(value.outputJson) as ToolOutput;
      return changeRun(state, value.callId, (call) => ({
        ...call,
        pending: undefined,
        waitsForServer: false,
        answers: [],
        output,
      }));
    }
    case 'toolWaits':
      return changeRun(state, value.callId, (call) => ({ ...call, waitsForServer: true }));
    case 'toolAnswered': {
      const answer = JSON.parse(value.answerJson) as ServerAnswer;
      return changeRun(state, value.callId, (call) => answered(call, answer));
    }
    case 'toolKept':
      return { ...state, changes: evolveChanges(state.changes, value) };
    case 'queryAsked': {
      const pending = { type: 'query', id: value.queryId, at: { entry: 0, item: 0 } } as const;
      return changeRun(state, value.callId, (call) => ({ ...call, pending }));
    }
  }
}

function addHooks(state: TurnState, answer: agent.ExecClientMessage): TurnState {
  const added = hookContexts(answer);
  if (added.length === 0) return state;
  return changeAwaitingQuietly(state, 'exec', answer.id, (call) => ({
    ...call,
    hooks: [...call.hooks, ...added],
  }));
}

/** The client is done with an exec, whoever still waits for it. */
function closeExec(state: TurnState, id: number): TurnState {
  if (!state.openExecs.has(id)) return state;
  const openExecs = new Map(state.openExecs);
  openExecs.delete(id);
  return { ...state, openExecs };
}

/** Who answers a request has the frame it came in. */
function changeAwaiting(
  state: TurnState,
  type: 'exec' | 'query',
  id: number,
  change: (call: ToolCall) => ToolCall,
): TurnState {
  const at = waitingCall(state, type, id)?.pending?.at;
  if (!at) return state;
  const known = later(state.delivery.known, at);
  return changeAwaitingQuietly({ ...state, delivery: { ...state.delivery, known } }, type, id, change);
}

function changeAwaitingQuietly(
  state: TurnState,
  type: 'exec' | 'query',
  id: number,
  change: (call: ToolCall) => ToolCall,
): TurnState {
  const call = waitingCall(state, type, id);
  return call ? changeRun(state, call.callId, change) : state;
}

/** The call that waits for an exec or a query. */
export function waitingCall(state: TurnState, type: 'exec' | 'query', id: number): ToolCall | undefined {
  return state.toolCalls.find(({ pending }) => pending?.type === type && pending.id === id);
}

function changeRun(state: TurnState, callId: string, change: (call: ToolCall) => ToolCall): TurnState {
  const index = state.toolCalls.findIndex((call) => call.callId === callId);
  const call = state.toolCalls[index];
  return call ? { ...state, toolCalls: state.toolCalls.with(index, change(call)) } : state;
}
