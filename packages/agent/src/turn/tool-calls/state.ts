import type { Position } from '@tandem/actor-core';
import { type agent, tandem } from '@tandem/proto';
import type { AssistantMessage, ToolCallPart } from '../../model/message.ts';
import { NEW_SHELL_RUN, type ShellRun } from '../../tools/shell-run.ts';
import type { Answer } from '../../tools/steps.ts';
import type { ToolOutput } from '../../tools/tool.ts';

/** What a turn remembers of its tool calls. */
export interface ToolCallsState {
  /** The tool calls of the last answer, in its order, until the model has their results. */
  readonly toolCalls: readonly ToolCall[];
  readonly changes: ConversationChanges;
  /** Execs of tool calls that the client is not done with, and where each was asked. */
  readonly openExecs: ReadonlyMap<number, Position>;
  readonly nextExec: number;
  readonly nextQuery: number;
}

/** One tool call of the answer whose calls are being run. */
export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  readonly started: boolean;
  readonly startedAt: number;
  /** What the client was asked and has not answered. */
  readonly pending: PendingRequest | undefined;
  readonly answers: readonly Answer[];
  /** It waits for what the server does by itself. */
  readonly waitsForServer: boolean;
  /** What the user's hooks have to say about it. */
  readonly hooks: readonly HookContext[];
  readonly failure: { readonly kind: tandem.ToolFailure; readonly detail: string } | undefined;
  /** Set once the call is over: what clients were shown of it, and what the model reads. */
  readonly shown: agent.ToolCall | undefined;
  readonly output: ToolOutput | undefined;
}

type PendingRequest =
  | { readonly type: 'exec'; readonly id: number; readonly at: Position; readonly shell: ShellRun }
  | { readonly type: 'query'; readonly id: number; readonly at: Position };

/** What one of the user's hooks adds to the result of a tool call. */
export interface HookContext {
  readonly hookEventName: string;
  readonly content: string;
}

/** What the turn's tool calls have changed in the conversation's state; undefined: as it came. */
interface ConversationChanges {
  /** Blob ids. */
  readonly todos: readonly Uint8Array[] | undefined;
  readonly plan: Uint8Array | undefined;
  readonly mode: agent.AgentMode | undefined;
}

export const TOOL_CALLS: ToolCallsState = {
  toolCalls: [],
  changes: { todos: undefined, plan: undefined, mode: undefined },
  openExecs: new Map(),
  nextExec: 0,
  nextQuery: 0,
};

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
export function requested(call: ToolCall, id: number, at: Position): ToolCall {
  return { ...call, pending: { type: 'exec', id, at, shell: NEW_SHELL_RUN } };
}

/** The client answered what was asked last. */
export function answered(call: ToolCall, answer: Answer): ToolCall {
  return { ...call, pending: undefined, waitsForServer: false, answers: [...call.answers, answer] };
}

/** No answer will come, or none that counts. */
export function failed(call: ToolCall, kind: tandem.ToolFailure, detail = ''): ToolCall {
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
