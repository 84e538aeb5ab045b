import { agent } from '@tandem/proto';
import { z } from 'zod';
import { NOT_UNDERSTOOD, queryResult } from './answers.ts';
import { defineTool, errorText, type ShownTool, text } from './tool.ts';

const schema = z.strictObject({
  name: z.string().min(1).describe('A short name.'),
  overview: z.string().describe('What is to be done and why, in one or two sentences.'),
  plan: z
    .string()
    .min(1)
    .describe('The whole plan as Markdown: what changes where, in which order, how it is checked.'),
  todos: z.array(z.string().min(1)).optional().describe('The steps, in order.'),
});
type Args = z.infer<typeof schema>;

export const createPlanTool = defineTool<Args>({
  name: 'create_plan',
  kind: 'createPlanToolCall',
  access: 'read',
  description: 'Puts a plan before the user, who decides whether it is carried out. Then end your turn.',
  schema,
  show: (args, { startedAt }) => ({ case: 'createPlanToolCall', value: { args: wireArgs(args, startedAt) } }),
  refuse: (args, error, { startedAt }) => refuse(args, startedAt, error),
  next(args, [answer], { callId, startedAt }) {
    const wire = wireArgs(args, startedAt);
    if (!answer) {
      const value = { args: wire, toolCallId: callId };
      return { ask: { type: 'query', query: { case: 'createPlanRequestQuery', value } } };
    }
    const response = queryResult(answer, 'createPlanRequestResponse')?.result;
    if (response?.result.case === 'success') {
      const at = response.planUri ? ` It is kept in ${response.planUri}.` : '';
      const shown: ShownTool = { case: 'createPlanToolCall', value: { args: wire, result: response } };
      const output = text(`The user has the plan.${at} Don't carry it out before you are told to.`);
      return { done: { shown, output, keeps: { plan: args.plan, todos: wire.todos } } };
    }
    const error = response?.result.case === 'error' ? response.result.value.error : NOT_UNDERSTOOD;
    return { done: { shown: refuse(args, startedAt, error), output: errorText(error) } };
  },
});

function wireArgs({ name, overview, plan, todos = [] }: Args, now: number) {
  return {
    name,
    overview,
    plan,
    todos: todos.map((content, index) => ({
      id: String(index + 1),
      content,
      status: agent.TodoStatus.PENDING,
      createdAt: BigInt(now),
      updatedAt: BigInt(now),
    })),
  };
}

function refuse(args: Args, now: number, error: string): ShownTool {
  return {
    case: 'createPlanToolCall',
    value: { args: wireArgs(args, now), result: { result: { case: 'error', value: { error } } } },
  };
}
