import { fromJson } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TEST_CONTEXT } from '../testing/call-tool.ts';
import { seededRandom } from '../testing/mutate.ts';
import { randomAnswer } from '../testing/random-answer.ts';
import { offeredTools } from './registry.ts';
import type { Answer } from './steps.ts';
import type { Next } from './tool.ts';

const PATCH = `*** Begin Patch
*** Update File: a.ts
@@
-old one
+new
*** Add File: b.ts
+b
*** Delete File: c.ts
*** End Patch`;

/** What calls are made with; tools that are not here take no arguments. */
const INPUTS: Readonly<Record<string, readonly unknown[]>> = {
  read_file: [{ path: 'a.ts' }, { path: 'a.ts', offset: 2, limit: 1 }],
  write_file: [{ path: 'a.ts', content: 'new' }],
  apply_patch: [{ patch: PATCH }, { patch: PATCH.replace('@@', '*** Move to: d.ts\n@@') }, { patch: 'none' }],
  edit_file: [
    { path: 'a.ts', old_string: 'o', new_string: 'n' },
    { path: 'a.ts', old_string: 'o', new_string: 'n', replace_all: true },
    { path: 'a.ts', old_string: '', new_string: 'n' },
  ],
  delete_file: [{ path: 'a.ts' }],
  list_folder: [{ path: '/w' }, { path: '/w', ignore: ['dist'] }],
  find_files: [{ pattern: '*.ts' }, { pattern: 'src/*.ts', path: '/w' }],
  search_files: [{ pattern: 'x' }, { pattern: 'x', head_limit: 1, output_mode: 'count' }],
  run_command: [
    { command: 'ls' },
    { command: 'ls', description: 'd', timeout_ms: 5, on_timeout: 'background', working_directory: '/w' },
    { command: 'serve', background: true },
  ],
  update_todos: [{ todos: [{ id: '1', content: 'c', status: 'pending' }] }],
  write_to_command: [{ shell_id: 7, text: 'y\n' }],
  await_command: [
    { shell_id: 7 },
    { shell_id: 7, pattern: '^READY \\d+$', timeout_ms: 5_000 },
    { shell_id: 7, timeout_ms: 0 },
  ],
  fetch_from_machine: [{ url: 'https://example.org/0' }],
  read_lints: [{ paths: ['a.ts', 'b.ts', 'c.ts'] }],
  ask_question: [{ questions: [{ prompt: 'p', options: ['x', 'y'] }] }],
  create_plan: [{ name: 'n', overview: 'o', plan: 'p', todos: ['t'] }],
  switch_mode: [{ mode: 'plan' }, { mode: 'ask', explanation: 'e' }],
  task: [
    { description: 'd', prompt: 'p' },
    { description: 'd', prompt: 'p', type: 'shell', background: true },
  ],
  await_task: [{ agent_id: 'a1' }, { agent_id: 'a1', timeout_ms: 5 }],
  web_fetch: [{ url: 'https://example.org/0' }],
  web_search: [{ query: 'q' }],
  list_mcp_resources: [{}, { server: 's' }],
  read_mcp_resource: [{ server: 's', uri: 'r://1' }],
};

const foreign = fromJson(agent.McpToolDefinitionSchema, { name: 'foreign', toolName: 'foreign' });
const choices = [true, false].map((patches) => ({
  mcpTools: [foreign],
  allowed: undefined,
  excluded: undefined,
  readOnly: false,
  offers: {
    patches,
    user: true,
    lints: true,
    mcpResources: true,
    webFetch: true,
    webSearch: true,
    task: { subagents: [], models: [] },
  },
}));
const tools = new Map(choices.flatMap((choice) => [...offeredTools(choice)]));

it.each([...tools])('%s asks for the same when it is replayed over any part of its answers', (name, tool) => {
  const inputs = INPUTS[name] ?? [{}];
  const bind = (input: unknown) => {
    const bound = tool.bind(input, TEST_CONTEXT);
    if (typeof bound === 'string') throw new Error(bound);
    return bound;
  };
  const property = fc.property(fc.constantFrom(...inputs), fc.nat(), (input, seed) => {
    const random = seededRandom(seed);
    const answers: Answer[] = [];
    const first: Next[] = [bind(input).next(answers)];
    for (let last = first[0]; last && 'request' in last && answers.length < 50; last = first.at(-1)) {
      answers.push(randomAnswer(last.request, random));
      first.push(bind(input).next(answers));
    }
    const bound = bind(input);
    for (const [count, next] of [...first.entries()].reverse()) {
      expect(bound.next(answers.slice(0, count))).toEqual(next);
    }
    // Nothing counts after the end.
    if ('done' in (first.at(-1) as Next)) {
      expect(bound.next([...answers, { type: 'paused' }])).toEqual(first.at(-1));
    }
  });
  fc.assert(property, { numRuns: 30 });
});
