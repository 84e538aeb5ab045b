import { agent } from '@tandem/proto';
import { z } from 'zod';
import { NOT_UNDERSTOOD, query } from './steps.ts';
import { type CallContext, defineTool, text } from './tool.ts';

const schema = z.strictObject({
  name: z.string().min(1).describe('A short name.'),
  overview: z.string().describe('What is to be done and why, in one or two sentences.'),
  plan: z
    .string()
    .min(1)
    .describe('The whole plan as Markdown: what changes where, in which order, how it is checked.'),
  todos: z.array(z.string().min(1)).optional().describe('The steps, in order.'),
});

export const createPlanTool = defineTool({
  name: 'create_plan',
  kind: 'createPlanToolCall',
  access: 'read',
  description: 'Puts a plan before the user, who decides whether it is carried out. Then end your turn.',
  schema,
  offered: ({ user }) => user,
  shownArgs,
  shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
  *run(args, context) {
    const wire = shownArgs(args, context);
    const response = yield* query('createPlanRequestQuery', { args: wire, toolCallId: context.callId });
    const result = response?.result;
    if (result?.result.case === 'error') return { failure: result.result.value.error };
    if (result?.result.case !== 'success') return { failure: NOT_UNDERSTOOD };
    const at = result.planUri ? ` It is kept in ${result.planUri}.` : '';
    const output = text(`The user has the plan.${at} Don't carry it out before you are told to.`);
    return { result, output, changes: { plan: args.plan, todos: wire.todos } };
  },
});

function shownArgs({ todos = [], ...args }: z.infer<typeof schema>, { startedAt }: CallContext) {
  const now = BigInt(startedAt);
  const status = agent.TodoStatus.PENDING;
  return {
    ...args,
    todos: todos.map((content, index) => ({
      id: String(index + 1),
      content,
      status,
      createdAt: now,
      updatedAt: now,
    })),
  };
}
