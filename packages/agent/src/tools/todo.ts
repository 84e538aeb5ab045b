import { agent } from '@tandem/proto';
import { z } from 'zod';
import { defineTool, text } from './tool.ts';

const STATUS = {
  pending: agent.TodoStatus.PENDING,
  in_progress: agent.TodoStatus.IN_PROGRESS,
  completed: agent.TodoStatus.COMPLETED,
  cancelled: agent.TodoStatus.CANCELLED,
} as const;

const item = z.strictObject({
  id: z.string().min(1).describe('Names the item in later calls.'),
  content: z.string().describe('What is to be done.'),
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
});

const schema = z.strictObject({
  todos: z.array(item).describe('The items, in order.'),
  merge: z
    .boolean()
    .optional()
    .describe('Change or add these items and keep the others. Default: they replace the list.'),
});
type Args = z.infer<typeof schema>;
type Item = z.infer<typeof item>;

export const todoTool = defineTool({
  name: 'update_todos',
  kind: 'updateTodosToolCall',
  access: 'read',
  description:
    'Keeps the list of what is to be done, which the user sees. For work of several steps: write it down, have one item in progress, mark each when it is done.',
  schema,
  shownArgs: ({ todos, merge = false }, { startedAt }) => ({
    todos: todos.map((todo) => wireItem(todo, startedAt)),
    merge,
  }),
  shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
  run(args, { earlierCalls, startedAt }) {
    let list: readonly Item[] = [];
    for (const input of [...earlierCalls('update_todos'), args]) {
      const earlier = schema.safeParse(input);
      if (earlier.success) list = apply(list, earlier.data);
    }
    const todos = list.map((todo) => wireItem(todo, startedAt));
    const value = { todos, totalCount: todos.length, wasMerge: args.merge ?? false };
    const lines = list.map(({ id, content, status }) => `- [${status}] ${id}: ${content}`);
    return {
      result: { result: { case: 'success', value } },
      output: text(lines.join('\n') || 'The list is empty.'),
      changes: { todos },
    };
  },
});

function apply(list: readonly Item[], { todos, merge }: Args): readonly Item[] {
  const items = new Map((merge ? list : []).map((todo) => [todo.id, todo]));
  for (const todo of todos) items.set(todo.id, todo);
  return [...items.values()];
}

function wireItem({ id, content, status }: Item, now: number) {
  return { id, content, status: STATUS[status], createdAt: BigInt(now), updatedAt: BigInt(now) };
}
