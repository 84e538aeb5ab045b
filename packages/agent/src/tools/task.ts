import type { MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { z } from 'zod';
import { execResult, NOT_UNDERSTOOD } from './answers.ts';
import { cutEnd, cutLine } from './cut-text.ts';
import {
  type Done,
  defineTool,
  errorText,
  PATIENT,
  type ShownTool,
  type Tool,
  type ToolContext,
  text,
} from './tool.ts';

/** A kind of subagent that the model may choose. */
export interface SubagentChoice {
  readonly name: string;
  readonly description: string;
  readonly readOnly: boolean;
  /** The user has defined it. */
  readonly custom: boolean;
}

const BUILT_IN: readonly SubagentChoice[] = [
  { name: 'general', description: 'any task', readOnly: false, custom: false },
  {
    name: 'explore',
    description: 'finds something out about the code, and changes nothing',
    readOnly: true,
    custom: false,
  },
  {
    name: 'shell',
    description: 'runs commands and reports what came of them',
    readOnly: false,
    custom: false,
  },
];

/** What the subagents of a turn may be. */
export interface TaskChoices {
  readonly subagents: readonly agent.CustomSubagent[];
  /** Only what changes nothing. */
  readonly readOnly: boolean;
  /** Models to choose from; empty: the choice is not offered. */
  readonly models: readonly string[];
}

/** Tools made so far, by all that they are made of: most turns have the same one, and a schema takes a millisecond. */
const made = new Map<string, Tool>();
const MAX_MADE = 100;
const MAX_KEY_CHARS = 20_000;

/** Gives a task to a subagent: a run of its own, which the client opens. */
export function taskTool({ subagents, readOnly, models }: TaskChoices): Tool {
  const choices = choicesOf(subagents).filter((choice) => choice.readOnly || !readOnly);
  const key = JSON.stringify([choices, readOnly, models]);
  const known = made.get(key);
  if (known) return known;
  const tool = makeTaskTool(choices, readOnly, models);
  if (key.length > MAX_KEY_CHARS) return tool;
  if (made.size >= MAX_MADE) made.clear();
  made.set(key, tool);
  return tool;
}

function makeTaskTool(
  choices: readonly SubagentChoice[],
  readOnly: boolean,
  models: readonly string[],
): Tool {
  const names = choices.map(({ name }) => name) as [string, ...string[]];
  const schema = z.strictObject({
    description: z.string().min(1).describe('The task in a few words, for the user.'),
    prompt: z.string().min(1).describe('The whole task. The agent knows nothing of this conversation.'),
    type: z
      .enum(names)
      .optional()
      .describe(`Which kind of agent. Default: ${names[0]}.\n${choices.map(lineOf).join('\n')}`),
    background: z.boolean().optional().describe('Start it and do not wait; await_task waits for it later.'),
    resume: z
      .string()
      .min(1)
      .optional()
      .describe('The id of an agent that is to go on, with this prompt as its next message.'),
    ...(models.length > 0 && {
      model: z
        .enum(models as [string, ...string[]])
        .optional()
        .describe('Only when the user asks for one.'),
    }),
  });
  const choiceOf = (name: string | undefined) => choices.find((choice) => choice.name === name) ?? choices[0];
  return defineTool<Args>({
    name: 'task',
    kind: 'taskToolCall',
    access: 'read',
    description:
      'Gives a task to another agent, which works on its own and reports its result. For what can be told apart: several tasks of one answer run side by side.',
    schema: schema as unknown as z.ZodType<Args>,
    show: (args) => shown(args, choiceOf(args.type)),
    refuse: (args, error) => shown(args, choiceOf(args.type), { case: 'error', value: { error } }),
    next(args, [answer], context) {
      const choice = choiceOf(args.type) as SubagentChoice;
      const model = context.subagentModel(choice.name, args.model);
      if (!model)
        return { done: failed(args, choice, `Agents of the kind ${choice.name} are switched off.`) };
      if (answer) return { done: finish(args, choice, execResult(answer, 'subagentResult')?.result) };
      const value = wireArgs(args, choice, { ...context, model, readOnly: readOnly || choice.readOnly });
      return {
        ask: { type: 'exec', exec: { case: 'subagentArgs', value }, deadline: PATIENT, repeatable: false },
      };
    },
  });
}

interface Args {
  readonly description: string;
  readonly prompt: string;
  readonly type?: string;
  readonly background?: boolean;
  readonly resume?: string;
  readonly model?: string;
}

/** The user's own kinds go before built-in ones of the same name. */
function choicesOf(subagents: readonly agent.CustomSubagent[]): SubagentChoice[] {
  const custom = subagents.map(({ name, description, permissionMode }) => ({
    name,
    description,
    readOnly: permissionMode === agent.CustomSubagentPermissionMode.READONLY,
    custom: true,
  }));
  const names = new Set(custom.map(({ name }) => name));
  return [...BUILT_IN.filter(({ name }) => !names.has(name)), ...custom];
}

function lineOf({ name, description }: SubagentChoice): string {
  return cutLine(`- ${name}: ${description.replace(/\s+/g, ' ').trim() || 'no description'}`);
}

function wireArgs(
  { prompt, resume, background }: Args,
  { name }: SubagentChoice,
  {
    callId,
    conversationId,
    model,
    readOnly,
  }: ToolContext & {
    model: NonNullable<ReturnType<ToolContext['subagentModel']>>;
    readOnly: boolean;
  },
): MessageInitShape<typeof agent.SubagentArgsSchema> {
  return {
    toolCallId: callId,
    subagentType: name,
    modelId: model.modelId,
    modelParameters: Object.entries(model.parameters).map(([id, value]) => ({ id, value })),
    prompt,
    readonly: readOnly,
    resumeAgentId: resume,
    runInBackground: background ?? false,
    parentConversationId: conversationId || undefined,
    environment: agent.SubagentExecutionEnvironment.LOCAL,
  };
}

function finish(
  args: Args,
  choice: SubagentChoice,
  result: agent.SubagentResult['result'] | undefined,
): Done {
  if (result?.case !== 'success') {
    return failed(args, choice, result?.case === 'error' ? result.value.error : NOT_UNDERSTOOD);
  }
  const { agentId, finalMessage = '', backgroundReason, transcriptPath } = result.value;
  const isBackground = backgroundReason !== agent.SubagentBackgroundReason.UNSPECIFIED;
  const said = cutEnd(finalMessage);
  const outcome = {
    case: 'success',
    value: {
      agentId,
      isBackground,
      backgroundReason,
      transcriptPath,
      conversationSteps: said
        ? [{ message: { case: 'assistantMessage' as const, value: { text: said } } }]
        : [],
    },
  } as const;
  const message = isBackground
    ? `[Runs in the background as agent ${agentId}. await_task waits for it; its end is told by itself, too.]`
    : `${said || 'The task has ended without a message.'}\n[Agent ${agentId}]`;
  return { shown: shown(args, choice, outcome), output: text(message) };
}

function failed(args: Args, choice: SubagentChoice, error: string): Done {
  return { shown: shown(args, choice, { case: 'error', value: { error } }), output: errorText(error) };
}

type TaskOutcome = NonNullable<MessageInitShape<typeof agent.TaskResultSchema>['result']>;

function shown(args: Args, choice: SubagentChoice | undefined, result?: TaskOutcome): ShownTool {
  const { description, prompt, model, resume } = args;
  return {
    case: 'taskToolCall',
    value: {
      args: {
        description,
        prompt,
        model,
        resume,
        subagentType: { type: wireType(choice) },
        environment: agent.SubagentExecutionEnvironment.LOCAL,
      },
      result: result && { result },
    },
  };
}

function wireType(
  choice: SubagentChoice | undefined,
): MessageInitShape<typeof agent.SubagentTypeSchema>['type'] {
  if (choice?.custom) return { case: 'custom', value: { name: choice.name } };
  if (choice?.name === 'explore' || choice?.name === 'shell') return { case: choice.name, value: {} };
  return { case: 'unspecified', value: {} };
}
