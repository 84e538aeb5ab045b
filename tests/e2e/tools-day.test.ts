import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SDKMessage } from '@cursor/sdk';
import type { ProviderRequest, Reply, Step } from '@tandem/test-support/provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SdkTurn } from './harness/sdk-messages.ts';
import { type System, startSystem } from './harness/system.ts';

let system: System;

beforeAll(async () => {
  system = await startSystem({ gateways: 2, workers: 2 });
}, 60_000);

afterAll(() => system?.[Symbol.asyncDispose]());

type Call = readonly [name: string, args: unknown];
/** What the model does next, from what it has just read of its tools. */
type Scene = (read: readonly string[]) => readonly Call[] | string;

let ids = 0;
function reply(said: readonly Call[] | string): Reply {
  if (typeof said === 'string') return { steps: [{ type: 'text', text: said }] };
  const steps: Step[] = said.map(([name, args]) => ({
    type: 'tool_call',
    id: `call-${++ids}`,
    name,
    arguments: JSON.stringify(args),
  }));
  return { steps: [...steps, { type: 'finish', reason: 'tool_calls' }] };
}

/** The results of the last answer's calls, in call order. */
function lastResults({ body }: ProviderRequest): string[] {
  const last = body.messages.findLastIndex(({ role }) => role === 'assistant');
  return body.messages
    .slice(last + 1)
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
}

const isSubagent = ({ body }: ProviderRequest) =>
  String(body.messages[0]?.content).includes('You are a subagent');

/** Plays scenes to the main agent, and one answer to each subagent; returns what was read before each scene. */
function play(scenes: readonly Scene[], subagent: string): string[][] {
  const read: string[][] = [];
  system.provider.script('scripted', (request) => {
    if (isSubagent(request)) return reply(subagent);
    const results = lastResults(request);
    read.push(results);
    return reply(scenes[read.length - 1]?.(results) ?? 'Nothing more.');
  });
  return read;
}

function toolMessages({ messages }: SdkTurn): Extract<SDKMessage, { type: 'tool_call' }>[] {
  return messages.filter((message) => message.type === 'tool_call' && message.status !== 'running') as never;
}

test("a developer's day: files, commands, tools of others, a plan, a subagent, a follow-up", async () => {
  const { sdk, provider } = system;
  let shell = 0;
  const read = play(
    [
      () => [
        ['update_todos', { todos: [{ id: '1', content: 'Write', status: 'in_progress' }] }],
        ['write_file', { path: 'src/a.ts', content: 'one\ntwo\none\n' }],
        ['write_file', { path: 'b.ts', content: 'export const b = 1;\n' }],
      ],
      () => [
        ['read_file', { path: 'src/a.ts', offset: 2, limit: 1 }],
        ['search_files', { pattern: 'one', context: 1, head_limit: 2 }],
        ['find_files', { pattern: '*.ts' }],
      ],
      () => [
        ['edit_file', { path: 'src/a.ts', old_string: 'one', new_string: '1' }],
        ['edit_file', { path: 'b.ts', old_string: '1', new_string: '2' }],
      ],
      () => [['edit_file', { path: 'src/a.ts', old_string: 'two\none', new_string: 'two\n3' }]],
      () => [
        ['run_command', { command: 'echo first; sleep 0.3; echo second' }],
        ['run_command', { command: 'echo broken >&2; exit 3' }],
        ['run_command', { command: 'echo up; sleep 0.5; echo READY 1; sleep 0.5; exit 4', background: true }],
      ],
      (results) => {
        shell = Number(/as shell (\d+)/.exec(results[2] ?? '')?.[1]);
        return [['await_command', { shell_id: shell, pattern: '^READY \\d', timeout_ms: 20_000 }]];
      },
      () => [['await_command', { shell_id: shell, timeout_ms: 20_000 }]],
      () => [
        ['custom-user-tools-say', { text: 'hi' }],
        ['numbers-double', { n: 21 }],
        ['read_mcp_resource', { server: 'numbers', uri: 'numbers://pi' }],
        ['ask_question', { questions: [{ prompt: 'Which?', options: ['a', 'b'] }] }],
        ['web_fetch', { url: 'http://127.0.0.1:1/' }],
      ],
      () => [
        ['create_plan', { name: 'Next', overview: 'More.', plan: '# Next', todos: ['x'] }],
        ['task', { description: 'Look', prompt: 'Look around.', type: 'explore' }],
      ],
      () => 'All done.',
      () => 'You had me write two files.',
    ],
    'I saw two files.',
  );

  const server = { command: process.execPath, args: [join(import.meta.dirname, 'harness/mcp-server.ts')] };
  const setup = { customTools: ['say'], mcpServers: { numbers: server } };
  const conversation = await sdk.create({ model: 'scripted', setup });
  const turn = await conversation.say('Do your work.');
  expect(turn).toMatchObject({ status: 'finished', result: 'All done.' });

  // What the model read.
  expect(read[1]).toEqual(['- [in_progress] 1: Write', 'Wrote src/a.ts.', 'Wrote b.ts.']);
  expect(read[2]?.[0]).toContain('     2|two');
  expect(read[2]?.[1]).toContain('more are not shown');
  expect(read[2]?.[2]?.split('\n').sort()).toEqual(['b.ts', 'src/a.ts']);
  expect(read[3]).toEqual([expect.stringContaining('occurs 2 times'), 'Replaced the text in b.ts.']);
  expect(read[4]).toEqual(['Replaced the text in src/a.ts.']);
  expect(read[5]?.[0]).toMatch(/^first\nsecond\n\[Exit code 0/);
  expect(read[5]?.[1]).toMatch(/^broken\n\[Exit code 3/);
  expect(read[6]?.[0]).toMatch(/^up\nREADY 1\n\[The pattern matches: READY 1\./);
  expect(read[7]?.[0]).toMatch(/READY 1\n\[The command has ended, exit code 4\.\]$/);
  expect(read[8]).toEqual([
    'say {"text":"hi"}',
    '42',
    '3.14159',
    expect.stringContaining('The user does not answer.'),
    expect.stringContaining('is not a public address'),
  ]);
  expect(read[9]).toEqual([
    expect.stringContaining('The user has the plan.'),
    expect.stringMatching(/^I saw two files\.\n\[Agent .+\]$/),
  ]);

  // Files on disk.
  expect(readFileSync(join(sdk.cwd, 'src/a.ts'), 'utf8')).toBe('one\ntwo\n3\n');
  expect(readFileSync(join(sdk.cwd, 'b.ts'), 'utf8')).toBe('export const b = 2;\n');

  // What the SDK told its user.
  const shown = toolMessages(turn);
  const of = (name: string) => shown.filter((message) => message.name === name);
  const edits = of('edit').map(({ result }) => result);
  expect(edits.filter((result) => (result as { status: string }).status === 'error')).toHaveLength(1);
  expect(edits.at(-1)).toMatchObject({ status: 'success', value: { linesAdded: 1, linesRemoved: 1 } });
  expect(JSON.stringify(of('shell').map(({ result }) => result))).toContain('"exitCode":3');
  for (const line of ['first', 'second', 'broken']) expect(turn.output).toContain(line);
  expect(
    of('mcp')
      .map(({ args }) => (args as { toolName: string }).toolName)
      .sort(),
  ).toEqual(['double', 'say']);
  expect(of('createPlan')).toMatchObject([{ result: { status: 'success' } }]);
  expect(of('task')).toMatchObject([{ args: { description: 'Look' }, result: { status: 'success' } }]);
  expect(of('updateTodos')).toHaveLength(1);
  expect(of('read')).toHaveLength(1);

  // What the subagent was given.
  const nested = provider.requests.find(isSubagent);
  const names = (nested?.body.tools ?? []).map(
    (tool) => (tool as { function: { name: string } }).function.name,
  );
  expect(nested?.lastUserText).toContain('Look around.');
  expect(names).toContain('read_file');
  expect(names).not.toContain('write_file');
  expect(names).not.toContain('task');

  // A foreign schema that providers refuse, made such that they take it (T5).
  const tools = provider.requests[0]?.body.tools as { function: { name: string; parameters: unknown } }[];
  expect(tools.find((tool) => tool.function.name === 'numbers-double')?.function.parameters).toEqual({
    type: 'object',
    properties: { n: { type: 'integer', minimum: 1 } },
    required: ['n'],
  });
  // Whole numbers stand as such in what providers get (T1).
  expect(provider.requests[0]?.raw).toContain('"n":{"type":"integer","minimum":1}');

  // A follow-up remembers: its request extends the last one.
  const before = provider.requests.filter((request) => !isSubagent(request)).at(-1);
  const next = await conversation.say('What did I have you do?');
  expect(next).toMatchObject({ status: 'finished', result: 'You had me write two files.' });
  const after = provider.requests.at(-1);
  const length = before?.body.messages.length ?? 0;
  expect(after?.body.messages.slice(0, length)).toEqual(before?.body.messages);
}, 120_000);
