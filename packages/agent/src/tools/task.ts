import type { MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { z } from 'zod';
import { cutEnd, cutLine } from './cut-text.ts';
import type { Offers, ToolChoice } from './offers.ts';
import { ACT, exec, NOT_UNDERSTOOD } from './steps.ts';
import { defineTool, type Tool, text } from './tool.ts';

/** A kind of subagent that the model may choose. */
interface SubagentChoice {
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
export interface TaskChoices extends NonNullable<Offers['task']> {
  /** Only what changes nothing. */
  readonly readOnly: boolean;
}

/** The tool as a turn has it: with the kinds of subagents and the models that its user may choose from. */
export function turnTaskTool({ readOnly, offers: { task } }: ToolChoice): Tool | undefined {
  return task && taskTool({ ...task, readOnly });
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

interface Args {
  readonly description: string;
  readonly prompt: string;
  readonly type?: string;
  readonly background?: boolean;
  readonly resume?: string;
  readonly model?: string;
}

function makeTaskTool(
  choices: readonly SubagentChoice[],
  readOnly: boolean,
  models: readonly string[],
): Tool {
  const choiceOf = ({ type }: Args) =>
    (choices.find(({ name }) => name === type) ?? choices[0]) as SubagentChoice;
  return defineTool({
    name: 'task',
    kind: 'taskToolCall',
    access: 'read',
    description:
      'Gives a task to another agent, which works on its own and reports its result. For what can be told apart: several tasks of one answer run side by side.',
    schema: taskSchema(choices, models) as unknown as z.ZodType<Args>,
    shownArgs: (args) => ({
      description: args.description,
      prompt: args.prompt,
      model: args.model,
      resume: args.resume,
      subagentType: { type: wireType(choiceOf(args)) },
      environment: agent.SubagentExecutionEnvironment.LOCAL,
    }),
    shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
    *run(args, { callId, conversationId, subagentModel }) {
      const choice = choiceOf(args);
      const model = subagentModel(choice.name, args.model);
      if (!model) return { failure: `Agents of the kind ${choice.name} are switched off.` };
      const ended = yield* exec(
        'subagentArgs',
        {
          toolCallId: callId,
          subagentType: choice.name,
          modelId: model.modelId,
          modelParameters: Object.entries(model.parameters).map(([id, value]) => ({ id, value })),
          prompt: args.prompt,
          readonly: readOnly || choice.readOnly,
          resumeAgentId: args.resume,
          runInBackground: args.background ?? false,
          parentConversationId: conversationId || undefined,
          environment: agent.SubagentExecutionEnvironment.LOCAL,
        },
        ACT,
      );
      if (ended.case === 'error') return { failure: ended.value.error };
      if (ended.case !== 'success') return { failure: NOT_UNDERSTOOD };
      const { agentId, finalMessage = '', backgroundReason, transcriptPath } = ended.value;
      const isBackground = backgroundReason !== agent.SubagentBackgroundReason.UNSPECIFIED;
      const said = cutEnd(finalMessage);
      const message = { case: 'assistantMessage', value: { text: said } } as const;
      const conversationSteps = said ? [{ message }] : [];
      const value = { agentId, isBackground, backgroundReason, transcriptPath, conversationSteps };
      const told = isBackground
        ? `[Runs in the background as agent ${agentId}. await_task waits for it; its end is told by itself, too.]`
        : `${said || 'The task has ended without a message.'}\n[Agent ${agentId}]`;
      return { result: { result: { case: 'success', value } }, output: text(told) };
    },
  });
}

function taskSchema(choices: readonly SubagentChoice[], models: readonly string[]) {
  const names = choices.map(({ name }) => name) as [string, ...string[]];
  return z.strictObject({
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

function wireType({
  name,
  custom,
}: SubagentChoice): MessageInitShape<typeof agent.SubagentTypeSchema>['type'] {
  if (custom) return { case: 'custom', value: { name } };
  if (name === 'explore' || name === 'shell') return { case: name, value: {} };
  return { case: 'unspecified', value: {} };
}
