import { type Standalone, startStandalone } from '@tandem/test-support/cluster';
import {
  type Reply,
  type ScriptedProvider,
  type Step,
  startScriptedProvider,
} from '@tandem/test-support/provider';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Sdk, startSdk } from './harness/sdk.ts';

let provider: ScriptedProvider;
let server: Standalone;
let sdk: Sdk;

beforeAll(async () => {
  provider = await startScriptedProvider();
  server = await startStandalone({
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: 'provider-key',
    TANDEM_OPENAI_MODELS: 'scripted',
  });
  sdk = await startSdk(server);
});

beforeEach(() => {
  provider.reset();
});

afterAll(async () => {
  await sdk[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await provider.close();
});

let ids = 0;
function calls(...list: [name: string, args: unknown][]): Reply {
  const steps: Step[] = list.map(([name, args]) => ({
    type: 'tool_call',
    id: `call-${++ids}`,
    name,
    arguments: JSON.stringify(args),
  }));
  return { steps: [...steps, { type: 'finish', reason: 'tool_calls' }] };
}

/** What the model read of its tools before its n-th request, in call order. */
async function results(request: number): Promise<string[]> {
  const { body } = await provider.request(request);
  const messages = body.messages as { role: string; content: unknown }[];
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(last + 1)
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
}

test('the SDK reads, searches, edits and runs what the model asks for', async () => {
  provider.script('scripted', [
    calls(
      ['write_file', { path: 'src/a.ts', content: 'one\ntwo\none\n' }],
      ['write_file', { path: 'b.md', content: '# B\n' }],
    ),
    calls(['edit_file', { path: 'src/a.ts', old_string: 'one', new_string: '1' }]),
    calls(
      ['edit_file', { path: 'src/a.ts', old_string: 'one\ntwo', new_string: '1\n2' }],
      ['edit_file', { path: 'src/a.ts', old_string: 'one', new_string: '3' }],
      ['read_file', { path: 'src/a.ts' }],
    ),
    calls(
      ['find_files', { pattern: '*.ts' }],
      ['search_files', { pattern: '^[0-9]$' }],
      ['list_folder', { path: '.' }],
      ['read_file', { path: 'missing.txt' }],
    ),
    calls(
      ['run_command', { command: 'cat src/a.ts; echo oops >&2; exit 3' }],
      ['delete_file', { path: 'b.md' }],
    ),
    calls(['run_command', { command: 'sleep 30', timeout_ms: 300 }], ['run_command', { command: 'ls' }]),
    { steps: [{ type: 'text', text: 'All done.' }] },
  ]);
  const conversation = await sdk.create({ model: 'scripted' });
  const turn = await conversation.say('Do it.');
  expect(turn).toMatchObject({ status: 'finished', result: 'All done.' });
  expect(await results(2)).toEqual(['Wrote src/a.ts.', 'Wrote b.md.']);
  expect(await results(3)).toEqual([expect.stringContaining('occurs 2 times')]);
  expect(await results(4)).toEqual([
    'Replaced the text in src/a.ts.',
    'Replaced the text in src/a.ts.',
    '     1|1\n     2|2\n     3|3',
  ]);
  const [found, searched, listed, missing] = await results(5);
  expect(found).toBe('src/a.ts');
  expect(searched).toContain('src/a.ts\n     1|1\n     2|2\n     3|3');
  expect(listed).toMatch(/src\/\n\s+a\.ts/);
  expect(missing).toContain('There is no file');
  const [shell, deleted] = await results(6);
  expect(shell).toMatch(/^1\n2\n3\noops\n\[Exit code 3; working directory .*\]$/);
  expect(deleted).toBe('Deleted b.md.');
  const [late, ls] = await results(7);
  expect(late).toContain('time limit');
  expect(ls).toMatch(/^src\n\[Exit code 0/);
});

test('the SDK carries out a call again though its provider reuses the id', async () => {
  const again: Reply = {
    steps: [
      {
        type: 'tool_call',
        id: 'call_0',
        name: 'run_command',
        arguments: '{"command":"echo x >> log; wc -l < log"}',
      },
      { type: 'finish', reason: 'tool_calls' },
    ],
  };
  provider.script('scripted', [again, again, { steps: [{ type: 'text', text: 'Twice.' }] }]);
  const conversation = await sdk.create({ model: 'scripted' });
  expect(await conversation.say('Do it twice.')).toMatchObject({ status: 'finished', result: 'Twice.' });
  expect(await results(2)).toEqual([expect.stringMatching(/^\s*1\n/)]);
  expect(await results(3)).toEqual([expect.stringMatching(/^\s*2\n/)]);
});
