import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { z } from 'zod';
import type { ToolResultPart } from '../model/message.ts';
import type { ToolDefinition } from '../model/port.ts';
import type { Offers } from './offers.ts';
import type { Answer, Request, Steps } from './steps.ts';

/** What clients show of a tool call: arguments, and in the end a result. */
export type ShownTool = NonNullable<MessageInitShape<typeof agent.ToolCallSchema>['tool']>;
/** The kind of a tool call, as clients name it. */
export type ToolKind = NonNullable<agent.ToolCall['tool']['case']>;
/** What the model reads of a tool call. */
export type ToolOutput = ToolResultPart['output'];

/** The fields that clients show of each kind of call. */
type Shown = { [Call in ShownTool as NonNullable<Call['case']>]: Call['value'] };
type Field<Kind extends ToolKind, Name> = Name extends keyof Shown[Kind]
  ? NonNullable<Shown[Kind][Name]>
  : never;
/** The result that clients show of a kind of call. */
export type ShownResult<Kind extends ToolKind> = Field<Kind, 'result'>;
/** The arguments that clients show of a kind of call. */
type ShownArgs<Kind extends ToolKind> = Field<Kind, 'args'>;

/** How a call ends: what clients show as its result, and what the model reads. */
export type Outcome<Kind extends ToolKind> =
  | {
      readonly result: ShownResult<Kind>;
      readonly output: ToolOutput;
      readonly changes?: Changes;
      /** Shown instead of the call's own, when the client knows better what it was about. */
      readonly args?: ShownArgs<Kind>;
    }
  /** It could not be done: shown as the tool shows failures, and told to the model. */
  | { readonly failure: string };

/** What a call changes in the state of the conversation. */
export interface Changes {
  readonly todos?: readonly MessageInitShape<typeof agent.TodoItemSchema>[];
  readonly plan?: string;
  readonly mode?: agent.AgentMode;
}

/** What a call may know beside its arguments. */
export interface CallContext {
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

/** What a call of a tool does, and how clients show it. */
export interface ToolBehavior<Args, Kind extends ToolKind> {
  readonly kind: Kind;
  /** `write`: has an effect on the workspace or beyond; not offered where only reading is allowed. */
  readonly access: 'read' | 'write';
  /** The files that a call is about: calls about one file run one after another if one of them writes. */
  files?(args: Args): readonly string[];
  /** The arguments as clients show them. */
  shownArgs(args: Args, context: CallContext): ShownArgs<Kind>;
  /** How clients show that a call has failed. */
  shownFailure(reason: string, args: Args): ShownResult<Kind>;
  /** What clients show beside arguments and result. */
  shownMore?(args: Args): Partial<Shown[Kind]>;
  /**
   * What a call does, from its first request to its outcome; a plain function when it has nothing to request. It is run
   * again from the start whenever it is looked at, over the answers that the journal has, so it has to be a pure function
   * of arguments, context and answers.
   */
  run(args: Args, context: CallContext): Steps<Outcome<Kind>> | Outcome<Kind>;
}

/** All there is to say about one tool. */
export interface ToolSpec<Args, Kind extends ToolKind> extends ToolBehavior<Args, Kind> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<Args>;
  /** Whether a turn has it; without this every turn has. */
  offered?(offers: Offers): boolean;
}

/** A tool as the turn knows it. */
export interface Tool {
  readonly kind: ToolKind;
  readonly access: 'read' | 'write';
  readonly definition: ToolDefinition;
  /** Whether a turn has it; without this every turn has. */
  offered?(offers: Offers): boolean;
  /** Ties a call to its arguments, or says what is wrong with them. */
  bind(input: unknown, context: CallContext): BoundTool | string;
}

/** A call's next step, given the answers so far. */
export type Next = { readonly request: Request } | { readonly done: Done };

export interface Done {
  readonly shown: ShownTool;
  readonly output: ToolOutput;
  readonly changes?: Changes | undefined;
}

export interface BoundTool {
  readonly files: readonly string[];
  readonly writes: boolean;
  shown(): ShownTool;
  next(answers: readonly Answer[]): Next;
  /** How the call ends when it can't go on. */
  fail(reason: string): Done;
}

/** Makes a tool of what is said about it. */
export function defineTool<Args, Kind extends ToolKind>(spec: ToolSpec<Args, Kind>): Tool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(spec.schema, { io: 'input' });
  return {
    kind: spec.kind,
    access: spec.access,
    definition: { name: spec.name, description: spec.description, inputSchema },
    offered: spec.offered,
    bind(input, context) {
      const parsed = spec.schema.safeParse(input);
      return parsed.success ? bindTool(spec, parsed.data, context) : z.prettifyError(parsed.error);
    },
  };
}

/** Ties a call of a tool to arguments that have been checked. */
export function bindTool<Args, Kind extends ToolKind>(
  tool: ToolBehavior<Args, Kind>,
  args: Args,
  context: CallContext,
): BoundTool {
  // The compiler can't tell that a kind's own arguments and result make a call of that kind.
  const shown = (result?: ShownResult<Kind>, shownArgs = tool.shownArgs(args, context)) =>
    ({ case: tool.kind, value: { ...tool.shownMore?.(args), args: shownArgs, result } }) as ShownTool;
  const fail = (reason: string): Done => ({
    shown: shown(tool.shownFailure(reason, args)),
    output: errorText(reason),
  });
  const end = (outcome: Outcome<Kind>): Next => {
    if ('failure' in outcome) return { done: fail(outcome.failure) };
    const { result, args: better, output, changes } = outcome;
    return { done: { shown: shown(result, better), output, changes } };
  };
  return {
    files: tool.files?.(args) ?? [],
    writes: tool.access === 'write',
    shown: () => shown(),
    fail,
    next(answers) {
      const steps = tool.run(args, context);
      if (!('next' in steps)) return end(steps);
      let step = steps.next();
      for (const answer of answers) {
        if (step.done) break;
        step = steps.next(answer);
      }
      return step.done ? end(step.value) : { request: step.value };
    },
  };
}

export function text(value: string): ToolOutput {
  return { type: 'text', value };
}

export function errorText(value: string): ToolOutput {
  return { type: 'error-text', value };
}
