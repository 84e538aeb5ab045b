import type { Position } from '@tandem/actor-core';
import { type agent, tandem } from '@tandem/proto';
import type { AssistantMessage, ToolCallPart } from '../model/message.ts';
import { NEW_SHELL_RUN, type ShellRun } from '../tools/shell-run.ts';
import type { Answer, ToolOutput } from '../tools/tool.ts';
import type { HookContext } from './hook-context.ts';

/** One tool call of the answer whose calls are being run. */
export interface ToolRun {
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  readonly started: boolean;
  readonly startedAt: number;
  /** What the client was asked and has not answered. */
  readonly awaits: Awaited | undefined;
  readonly answers: readonly Answer[];
  /** It waits for what the server does by itself. */
  readonly waits: boolean;
  /** What the user's hooks have to say about it. */
  readonly hooks: readonly HookContext[];
  readonly failure: { readonly kind: tandem.ToolFailure; readonly detail: string } | undefined;
  /** Set once the call is over: what clients were shown of it, and what the model reads. */
  readonly shown: agent.ToolCall | undefined;
  readonly output: ToolOutput | undefined;
}

export type Awaited =
  | { readonly type: 'exec'; readonly id: number; readonly at: Position; readonly shell: ShellRun }
  | { readonly type: 'query'; readonly id: number; readonly at: Position };

/** The calls that an answer asks for, none of them begun. */
export function runsOf({ content }: AssistantMessage): ToolRun[] {
  return content
    .filter((part): part is ToolCallPart => part.type === 'tool-call')
    .map(({ toolCallId, toolName, input }) => ({
      callId: toolCallId,
      name: toolName,
      input,
      started: false,
      startedAt: 0,
      awaits: undefined,
      answers: [],
      waits: false,
      hooks: [],
      failure: undefined,
      shown: undefined,
      output: undefined,
    }));
}

/** The client was asked: a shell starts to be listened to. */
export function awaitExec(run: ToolRun, id: number, at: Position): ToolRun {
  return { ...run, awaits: { type: 'exec', id, at, shell: NEW_SHELL_RUN } };
}

/** The client answered what was asked last. */
export function answered(run: ToolRun, answer: Answer): ToolRun {
  return { ...run, awaits: undefined, waits: false, answers: [...run.answers, answer] };
}

/** No answer will come, or none that counts. */
export function failed(run: ToolRun, kind: tandem.ToolFailure, detail = ''): ToolRun {
  return run.output ? run : { ...run, awaits: undefined, waits: false, failure: { kind, detail } };
}

/** What the model is told of a call that failed. */
export function failureText({ kind, detail }: NonNullable<ToolRun['failure']>): string {
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
