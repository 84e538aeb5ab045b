import { create } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';
import { answer, type ClientScript, closed, control, type Reaction, reply } from './client.ts';
import { shell } from './machine.ts';
import type { Answer } from './model.ts';
import {
  type Action,
  act,
  CONTEXT,
  inject,
  MCP,
  one,
  type Run,
  run,
  type Scene,
  tools,
  turn,
  user,
} from './scene.ts';

const READ = ['read_file', { path: 'a.ts' }] as const;
const WRITE = ['write_file', { path: 'b.ts', content: 'new\n' }] as const;
const RUN = ['run_command', { command: 'make', description: 'Builds' }] as const;
const TEXT: Answer = { text: 'The quick brown fox jumps over the lazy dog, and then does it once more.' };
const KEY = new Uint8Array(32).fill(7);
const FIRST = turn([{ text: 'Hello.', calls: [READ] }, { text: 'How are you?' }]);
const second = (model: readonly Answer[], more: Partial<ClientScript> = {}) =>
  turn(model, { requestId: 'r2', opening: run(user('and now?')), ...more });
const cancel = act(3, { case: 'cancelAction', value: { reason: 'user' } });
const retry = (afterMs: number, id = 'r1-again'): Reaction => [afterMs, { retry: id }];

/** Names of fixtures. What one was recorded from stays as it is: its client and its model go on with it in the test. */
export const SCENES: Readonly<Record<string, Scene>> = {
  text: one([TEXT]),
  thinking: one([
    { thinks: ['First this.', 'Then that.'], text: 'I have thought.', calls: [READ] },
    { thinks: ['And this.'], text: 'I have thought again.' },
  ]),
  read: tools([
    READ,
    ['read_file', { path: 'missing.ts' }],
    ['read_file', { path: 'c.ts', offset: 2, limit: 1 }],
  ]),
  write: tools([WRITE, ['write_file', { path: 'missing/new.ts', content: 'x' }]]),
  edit: tools([
    ['edit_file', { path: 'a.ts', old_string: 'old', new_string: 'new' }],
    ['edit_file', { path: 'a.ts', old_string: 'nowhere', new_string: 'new' }],
  ]),
  'apply-patch': tools(
    [
      [
        'apply_patch',
        {
          patch:
            '*** Begin Patch\n*** Add File: missing.ts\n+one\n*** Update File: a.ts\n@@\n first line\n-old of a.ts\n+new\n last line\n*** Delete File: d.ts\n*** End Patch',
        },
      ],
    ],
    {},
    { opening: run(user('hello'), { requestedModel: { modelId: 'gpt-5' } as Run['requestedModel'] }) },
  ),
  delete: tools([['delete_file', { path: 'd.ts' }]]),
  search: tools([
    ['list_folder', { path: '/work' }],
    ['find_files', { pattern: '*.ts' }],
    ['search_files', { pattern: 'x', context: 1 }],
  ]),
  command: tools([RUN]),
  'background-command': one([
    {
      text: 'I start it.',
      calls: [['run_command', { command: 'serve', background: true, description: 'Serves' }]],
    },
    { text: 'I type.', calls: [['write_to_command', { shell_id: 7, text: 'y\n' }]] },
    { text: 'I wait.', calls: [['await_command', { shell_id: 7, pattern: 'READY', timeout_ms: 60_000 }]] },
    { text: 'I wait more.', calls: [['await_command', { shell_id: 7, timeout_ms: 2_000 }]] },
    { text: 'It serves.' },
  ]),
  todo: one([
    {
      text: 'A list.',
      calls: [['update_todos', { todos: [{ id: '1', content: 'one', status: 'pending' }] }]],
    },
    {
      text: 'Done.',
      calls: [['update_todos', { merge: true, todos: [{ id: '1', content: 'one', status: 'completed' }] }]],
    },
    { text: 'All is done.' },
  ]),
  'ask-question': tools([
    ['ask_question', { title: 'Which', questions: [{ prompt: 'Which?', options: ['one', 'two'] }] }],
  ]),
  'create-plan': tools([
    ['create_plan', { name: 'Plan', overview: 'Do it.', plan: '1. Do it', todos: ['first'] }],
  ]),
  'switch-mode': tools([['switch_mode', { mode: 'plan', explanation: 'To think' }]]),
  'web-fetch': tools([['web_fetch', { url: 'https://example.org/page' }]]),
  'web-search': tools(
    [
      ['web_search', { query: 'foxes' }],
      ['web_search', { query: 'dogs' }],
    ],
    {
      'webSearchRequestQuery 2': (id) =>
        reply(id, {
          case: 'webSearchRequestResponse',
          value: { result: { case: 'rejected', value: { reason: 'no' } } },
        }),
    },
  ),
  fetch: tools([['fetch_from_machine', { url: 'http://localhost:8080/' }]]),
  mcp: tools([['it', {}]], {}, { context: { ...CONTEXT, tools: [MCP] } }),
  'mcp-resources': tools(
    [
      ['list_mcp_resources', { server: 's' }],
      ['read_mcp_resource', { server: 's', uri: 'r://1' }],
    ],
    {},
    { context: { ...CONTEXT, tools: [MCP] } },
  ),
  'read-lints': tools([['read_lints', { paths: ['a.ts', 'b.ts'] }]]),
  task: tools([['task', { description: 'Look', prompt: 'Look for it.', type: 'explore' }]]),
  'background-task': one([
    {
      text: 'I let it look.',
      calls: [['task', { description: 'Look', prompt: 'Look for it.', background: true }]],
    },
    { text: 'I wait for it.', calls: [['await_task', { agent_id: 'a1', timeout_ms: 5_000 }]] },
    { text: 'It has found it.' },
  ]),
  parallel: tools([
    ['read_file', { path: 'b.ts' }],
    WRITE,
    ['edit_file', { path: 'b.ts', old_string: 'old', new_string: 'new' }],
    ['search_files', { pattern: 'x' }],
    ['web_fetch', { url: 'https://example.org/' }],
    RUN,
  ]),
  'failed-execs': tools(
    [READ, WRITE, ['list_folder', { path: '/work' }], ['delete_file', { path: 'd.ts' }]],
    {
      'readArgs 1': (id) => [
        ...answer(id, {
          case: 'readResult',
          value: { result: { case: 'rejected', value: { reason: 'private' } } },
        }),
        ...closed(id),
      ],
      'lsArgs 1': (id) => control({ case: 'throw', value: { id, error: 'no handler' } }),
      'deleteArgs 1': (id) => closed(id),
      'writeArgs 1': (id) => [...answer(id, { case: 'lsResult', value: {} }), ...closed(id)],
    },
  ),
  'exec-timed-out': tools([READ], { 'readArgs 1': () => [] }),
  'command-timed-out': tools([['run_command', { command: 'sleep', timeout_ms: 2_000 }]], {
    'shellStreamArgs 1': (id) => shell(id, undefined),
    'abort 1': (id) => [
      ...answer(id, {
        case: 'shellStream',
        value: { event: { case: 'exit', value: { code: 137, aborted: true } } },
      }),
      ...closed(id),
    ],
  }),
  'unknown-tool': tools([['no_such_tool', { a: 1 }]]),
  'bad-arguments': tools([
    ['read_file', '{"path":'],
    ['read_file', { file: 'a.ts' }],
  ]),
  'steering-among-tools': tools([READ, RUN], {
    'shellStreamArgs 1': (id) => [...shell(id, { code: 0 }), ...closed(id, 36), inject(10, 'b')],
  }),
  'steering-an-answer': one([TEXT, { text: 'Rather so then.' }], {
    'textDelta 2': () => [inject(3, 'so'), inject(7, 'elsewhere', 'another-run')],
  }),
  'background-completion': one([TEXT, { text: 'I see.' }], {
    'textDelta 2': () => [
      act(3, {
        case: 'backgroundTaskCompletionAction',
        value: { completions: [{ taskId: '1', title: 'build', detail: 'It is built.' }] },
      }),
    ],
  }),
  'completion-only-recorded': one(
    [],
    {},
    {
      opening: run({
        case: 'backgroundTaskCompletionAction',
        value: { completions: [{ taskId: '1', recordOnly: true, detail: 'fine' }] },
      }),
    },
  ),
  'plan-carried-out': one(
    [{ text: 'I do it.', calls: [WRITE] }, { text: 'It is carried out.' }],
    {},
    {
      opening: run({
        case: 'executePlanAction',
        value: { planFileContent: '1. Do it', planFilePath: '/p.md', planId: 'p', kickoffMessageId: 'k' },
      }),
    },
  ),
  'plan-made': one(
    [TEXT],
    {},
    {
      opening: run({ case: 'startPlanAction', value: { userMessage: { text: 'a new feature' } } } as Action),
    },
  ),
  resume: {
    turns: [
      turn([TEXT], { reactions: { 'textDelta 2': () => [cancel] } }),
      second([], { opening: run({ case: 'resumeAction', value: {} }) }),
    ],
  },
  'user-command': one(
    [],
    {},
    {
      opening: run({
        case: 'shellCommandAction',
        value: { shellCommand: { command: 'make' }, execId: 'e1' },
      }),
    },
  ),
  prewarm: {
    turns: [
      FIRST,
      second([TEXT], {
        opening: (conversationState) => ({
          case: 'prewarmRequest',
          value: { conversationState, conversationId: 'c1', requestedModel: { modelId: 'scripted' } },
        }),
        reactions: { open: () => [act(500, user('more'))] },
      }),
    ],
  },
  attempt: one([TEXT], { 'textDelta 3': () => [retry(3)] }),
  'attempt-withheld': one([{ text: 'I write.', calls: [WRITE, RUN, READ] }, { text: 'It is written.' }], {
    'writeArgs 1': () => [],
    'shellStreamArgs 1': (id) => [...shell(id, undefined), retry(60)],
  }),
  'attempts-twice': one([TEXT], {
    'textDelta 2': () => [retry(3)],
    'textDelta 7': () => [retry(3, 'r1-once-more')],
  }),
  'attempt-behind-a-clean-end': one([TEXT], { 'textDelta 3': () => [[3, { part: true }], retry(9)] }),
  'attempt-steered-and-canceled': one([{ text: 'I run it.', calls: [RUN] }, TEXT], {
    'shellStreamArgs 1': (id) => [...shell(id, undefined), retry(60)],
    'textDelta 2': () => [inject(3, 'so', 'r1-again')],
    'textDelta 4': () => [cancel],
  }),
  'takeover-of-an-answer': { ...one([TEXT]), takeovers: [6, 9] },
  'takeover-of-tools': { ...tools([READ, WRITE, RUN, ['web_search', { query: 'foxes' }]]), takeovers: [22] },
  cancel: one([TEXT], { 'textDelta 3': () => [cancel] }),
  'cancel-of-a-command': tools([RUN, ['web_fetch', { url: 'https://example.org/' }]], {
    'shellStreamArgs 1': (id) => [...shell(id, undefined), cancel],
  }),
  superseded: one([TEXT], {
    'textDelta 3': () => [
      [3, { note: { case: 'cancel', value: create(tandem.CancelSchema, { generation: 1n, reason: 1 }) } }],
    ],
  }),
  orphaned: {
    ...one([{ text: 'I run it.', calls: [RUN] }], { 'shellStreamArgs 1': (id) => shell(id, undefined) }),
    leaves: true,
  },
  'model-failed': one([
    { text: 'I read.', calls: [READ] },
    { text: 'never said', fails: true },
  ]),
  interrupted: one([{ ...TEXT, cut: { after: 30, reason: 'interrupted' } }]),
  'cut-at-the-limit': one([{ ...TEXT, cut: { after: 30, reason: 'length' } }]),
  'nothing-said': one([{ text: 'Never said.', cut: { after: 0, reason: 'interrupted' } }]),
  subagent: one(
    [{ text: 'I look.', calls: [READ] }, { text: 'Here it is.' }],
    {},
    {
      opening: run(user('the task'), { subagentTypeName: 'explore', conversationGroupId: 'parent' }),
    },
  ),
  'blobs-from-client': { turns: [FIRST, second([TEXT])] },
  'blobs-from-cache': {
    turns: [
      { ...FIRST, info: { blobEncryptionKey: KEY } },
      second([TEXT], { info: { blobEncryptionKey: KEY } }),
    ],
  },
  'no-context': one([TEXT], { 'requestContextArgs 1': () => [] }),
  'large-messages': { ...tools([READ, WRITE]), maxRecordBytes: 700 },
};
