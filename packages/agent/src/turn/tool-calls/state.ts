import type { Position } from '@tandem/actor-core';
import type { agent, tandem } from '@tandem/proto';
import type { ShellRun } from '../../tools/shell-run.ts';
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
