import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { z } from 'zod';
import type { ToolResultPart } from '../model/message.ts';
import type { ToolDefinition } from '../model/port.ts';
import type { Job, JobResult } from '../web/port.ts';
import type { ShellRun } from './shell-run.ts';

/** What clients show of a tool call: arguments, and in the end a result. */
export type ShownTool = NonNullable<MessageInitShape<typeof agent.ToolCallSchema>['tool']>;
/** The kind of a tool call, as clients name it. */
export type ToolKind = NonNullable<agent.ToolCall['tool']['case']>;
/** What the model reads of a tool call. */
export type ToolOutput = ToolResultPart['output'];

type ExecRequest = NonNullable<MessageInitShape<typeof agent.ExecServerMessageSchema>['message']>;
type Query = NonNullable<MessageInitShape<typeof agent.InteractionQuerySchema>['query']>;

/** What a tool needs of the client. */
export type Ask =
  | {
      readonly type: 'exec';
      readonly exec: ExecRequest;
      readonly deadline: Deadline;
      /** Has no effect on anything, so that it may be asked again when nobody knows what became of it. */
      readonly repeatable: boolean;
    }
  /** Put to the user: has no deadline. */
  | { readonly type: 'query'; readonly query: Query }
  /** Goes on after a while, in ms. */
  | { readonly type: 'pause'; readonly ms: number }
  /** Done by the server itself; may be done again when a process was lost. */
  | { readonly type: 'job'; readonly job: Job };

/**
 * In ms, counted from the request, or from when the client says that it has begun: an approval comes before, and until then
 * only what is forgotten is given up.
 */
export type Deadline = { readonly ms: number; readonly from: 'request' | 'start' };

/** What the client answered to one ask. */
export type Answer =
  | { readonly type: 'exec'; readonly message: agent.ExecClientMessage['message'] }
  | { readonly type: 'shell'; readonly run: ShellRun }
  | { readonly type: 'query'; readonly result: agent.InteractionResponse['result'] }
  | ServerAnswer;

/** What the server itself brought; kept as JSON. */
export type ServerAnswer = { readonly type: 'paused' } | { readonly type: 'job'; readonly result: JobResult };

export interface Done {
  readonly shown: ShownTool;
  readonly output: ToolOutput;
  readonly keeps?: Kept;
}

/** What a call leaves in the state of the conversation. */
export interface Kept {
  readonly todos?: readonly MessageInitShape<typeof agent.TodoItemSchema>[];
  readonly plan?: string;
  readonly mode?: agent.AgentMode;
}

/** A tool call's next step, given the answers so far. */
export type Next = { readonly ask: Ask } | { readonly done: Done };

/** What a call may know beside its arguments. */
export interface ToolContext {
  readonly callId: string;
  /** When the call was started, ms since the epoch. */
  readonly startedAt: number;
  /** Arguments of earlier calls of a tool in this conversation, oldest first. */
  earlierCalls(name: string): readonly unknown[];
  /** Where the client keeps the output of background commands; empty when it did not say. */
  readonly terminalsFolder: string;
  readonly conversationId: string;
  readonly mode: agent.AgentMode;
  /** The model that a subagent of a kind gets; undefined when the user has switched the kind off. */
  subagentModel(
    type: string,
    wanted: string | undefined,
  ): { modelId: string; parameters: Readonly<Record<string, string>> } | undefined;
}

/** One tool. A call is a pure function of its arguments and the client's answers, asked again after each. */
export interface ToolSpec<Args> {
  readonly name: string;
  readonly kind: ToolKind;
  /** `write`: has an effect on the workspace or beyond; not offered where only reading is allowed. */
  readonly access: 'read' | 'write';
  readonly description: string;
  readonly schema: z.ZodType<Args>;
  /** The files that a call is about: calls about one file run one after another if one of them writes. */
  files?(args: Args): readonly string[];
  show(args: Args, context: ToolContext): ShownTool;
  next(args: Args, answers: readonly Answer[], context: ToolContext): Next;
  /** How a call that failed is shown. */
  refuse(args: Args, reason: string, context: ToolContext): ShownTool;
}

/** A tool as the turn knows it. */
export interface Tool {
  readonly kind: ToolKind;
  readonly access: 'read' | 'write';
  readonly definition: ToolDefinition;
  /** Ties a call to its arguments, or says what is wrong with them. */
  bind(input: unknown, context: ToolContext): BoundTool | string;
}

export interface BoundTool {
  readonly files: readonly string[];
  readonly writes: boolean;
  shown(): ShownTool;
  next(answers: readonly Answer[]): Next;
  refuse(reason: string): ShownTool;
}

export function defineTool<Args>(spec: ToolSpec<Args>): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(spec.schema, { io: 'input' });
  return {
    kind: spec.kind,
    access: spec.access,
    definition: { name: spec.name, description: spec.description, inputSchema },
    bind(input, context) {
      const parsed = spec.schema.safeParse(input);
      if (!parsed.success) return z.prettifyError(parsed.error);
      const args = parsed.data;
      return {
        files: spec.files?.(args) ?? [],
        writes: spec.access === 'write',
        shown: () => spec.show(args, context),
        next: (answers) => spec.next(args, answers, context),
        refuse: (reason) => spec.refuse(args, reason, context),
      };
    },
  };
}

export function text(value: string): ToolOutput {
  return { type: 'text', value };
}

export function errorText(value: string): ToolOutput {
  return { type: 'error-text', value };
}

/** How long a client may take for what it does by itself, in ms. */
export const QUICK: Deadline = { ms: 120_000, from: 'request' };

/** For what a client may first put to its user, who takes the time that he takes: bounds only what is forgotten. */
export const PATIENT: Deadline = { ms: 6 * 3_600_000, from: 'request' };
