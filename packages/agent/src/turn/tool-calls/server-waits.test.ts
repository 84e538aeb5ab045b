import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { call, content, finish, startToolTurn } from '../../testing/tool-play.ts';

const APPROVED = {
  case: 'webFetchRequestResponse',
  value: { result: { case: 'approved', value: {} } },
} as const;
const CANCEL = {
  case: 'conversationAction',
  value: { action: { case: 'cancelAction', value: {} } },
} as const;
const PAGE = {
  type: 'page',
  page: { url: 'https://a/', status: 200, mediaType: 'text/plain', text: 'Hello', cut: false },
} as const;

describe('a call that the server carries out', () => {
  const fetching = () => {
    const all = startToolTurn({ serverTools: { webFetch: true } });
    all.say(...call('c1', 'web_fetch', { url: 'https://a/' }), finish('tool_calls'));
    all.turn.take('model_call');
    return all;
  };
  const said = (value: string) => ({ content: [{ toolCallId: 'c1', output: { value } }] });

  it('is offered only by a server that can', () => {
    const names = (serverTools = {}) =>
      startToolTurn({ serverTools })
        .turn.take('model_call')[0]
        ?.request.tools.map(({ name }) => name);
    expect(names()).not.toContain('web_fetch');
    expect(names({ webFetch: true })).toContain('web_fetch');
    expect(names({ webFetch: true })).not.toContain('web_search');
  });

  it('waits for the user without a deadline, then for the job', () => {
    const { turn, reply } = fetching();
    expect(turn.take('set_timer').filter(({ name }) => name.startsWith('exec:'))).toEqual([]);
    expect(turn.take('run_job')).toEqual([]);
    reply(APPROVED);
    const [job] = turn.take('run_job');
    expect(job).toEqual({ type: 'run_job', name: '1:c1', job: { type: 'web_fetch', url: 'https://a/' } });
    // Whatever else happens meanwhile starts no second one.
    turn.command({ case: 'clientHeartbeat', value: {} });
    turn.input({ type: 'resumed' });
    expect(turn.take('run_job')).toEqual([]);
    turn.result({ type: 'job_done', name: '1:c1', result: PAGE });
    expect(turn.take('model_call')[0]?.request.messages.at(-1)).toMatchObject(said('Hello'));
  });

  it('is carried out again by the process that takes over, and answered once', () => {
    const { turn, reply } = fetching();
    reply(APPROVED);
    turn.takeOver();
    expect(turn.take('run_job')).toHaveLength(1);
    turn.result({ type: 'job_done', name: '1:c1', result: PAGE });
    turn.result({ type: 'job_done', name: '1:c1', result: { type: 'failed', reason: 'late' } });
    const calls = turn.take('model_call');
    expect(calls).toHaveLength(1);
    expect(calls[0]?.request.messages.at(-1)).toMatchObject(said('Hello'));
    expect(turn.fold().toolCalls).toEqual(turn.state.toolCalls);
  });

  it('is aborted with its turn', () => {
    const { turn, reply, client } = fetching();
    reply(APPROVED);
    turn.command(CANCEL);
    expect(turn.take('abort_job')).toEqual([{ type: 'abort_job', name: '1:c1' }]);
    client.answerAll(turn);
    expect(turn.end).toEqual({ kind: 'end', outcome: 'canceled' });
    expect(client.transcript().at(-1)).toMatchObject(said('Stopped before it was finished.'));
  });

  it('that the user refuses is told to the model, and the turn goes on', () => {
    const { turn, reply } = fetching();
    reply({
      case: 'webFetchRequestResponse',
      value: { result: { case: 'rejected', value: { reason: 'no' } } },
    });
    expect(turn.take('run_job')).toEqual([]);
    expect(turn.take('model_call')[0]?.request.messages.at(-1)).toMatchObject(
      said('The user did not allow it. no'),
    );
  });
});

describe('a call that waits for a command in the background', () => {
  it('looks again after a while, also in the process that takes over', () => {
    const context = create(agent.RequestContextSchema, { env: { terminalsFolder: '/t' } });
    const again = startToolTurn({ context });
    again.say(...call('c1', 'await_command', { shell_id: 7 }), finish('tool_calls'));
    const read = () => again.client.execs.at(-1);
    expect(read()?.message).toMatchObject({ case: 'readArgs', value: { path: '/t/7.txt' } });
    again.answer(read()?.id ?? -1, content('---\npid: 1\n---\nstarted\n'));
    expect(again.turn.take('set_timer')).toContainEqual(
      expect.objectContaining({ type: 'set_timer', name: 'pause:1:c1', ms: 250 }),
    );
    again.turn.takeOver();
    expect(again.turn.take('set_timer')).toContainEqual(
      expect.objectContaining({ type: 'set_timer', name: 'pause:1:c1', ms: 250 }),
    );
    const before = again.client.execs.length;
    again.turn.expire('pause:1:c1');
    again.client.read(again.turn);
    expect(again.client.execs).toHaveLength(before + 1);
    again.answer(
      read()?.id ?? -1,
      content('---\npid: 1\n---\nstarted\ndone\n\n---\nexit_code: 0\nended_at: x\n---\n'),
    );
    expect(again.turn.take('model_call').at(-1)?.request.messages.at(-1)).toMatchObject({
      content: [{ output: { value: 'started\ndone\n[The command has ended, exit code 0.]' } }],
    });
  });
});

describe("what the user's hooks add", () => {
  const HOOK = { hookEventName: 'afterFileRead', content: 'Mind the style.' };

  it('is read by the model behind the result, and shown with the call', () => {
    const { turn, client, say } = startToolTurn();
    say(...call('c1', 'read_file', { path: 'a' }), finish('tool_calls'));
    const exec = client.execs[0];
    expect(exec?.acceptHookAdditionalContexts).toBe(true);
    turn.command({
      case: 'execClientMessage',
      value: { id: exec?.id ?? -1, message: content('A'), hookAdditionalContexts: [HOOK] },
    });
    client.answerAll(turn);
    expect(turn.take('model_call').at(-1)?.request.messages.at(-1)).toMatchObject({
      content: [{ output: { value: "     1|A\n[The user's hook afterFileRead adds:]\nMind the style." } }],
    });
    expect(client.lastTurn().steps[0]?.message).toMatchObject({
      case: 'toolCall',
      value: { hookAdditionalContexts: [HOOK] },
    });
  });

  it('comes with the stream of a command, too', () => {
    const { turn, client, say, answer } = startToolTurn();
    say(...call('c1', 'run_command', { command: 'x' }), finish('tool_calls'));
    const id = client.execs[0]?.id ?? -1;
    const event = { case: 'hookContext' as const, value: { hookAdditionalContexts: [HOOK] } };
    turn.command({
      case: 'execClientMessage',
      value: { id, message: { case: 'shellStream', value: { event } } },
    });
    answer(id, { case: 'shellStream', value: { event: { case: 'exit', value: { code: 0 } } } });
    const [result] = turn.take('model_call').slice(-1);
    expect(JSON.stringify(result?.request.messages.at(-1))).toContain('Mind the style.');
  });
});

describe('what calls leave in the conversation', () => {
  it('is in the next checkpoint: todos, a plan, the mode', () => {
    const { turn, client, say, reply } = startToolTurn();
    say(
      ...call('c1', 'update_todos', { todos: [{ id: '1', content: 'x', status: 'in_progress' }] }),
      ...call('c2', 'switch_mode', { mode: 'plan' }),
      finish('tool_calls'),
    );
    reply({ case: 'switchModeRequestResponse', value: { result: { case: 'approved', value: {} } } });
    client.answerAll(turn);
    const todo = client.checkpoint?.todos[0];
    expect(client.checkpoint).toMatchObject({ mode: agent.AgentMode.PLAN, todos: [{}] });
    expect(Buffer.from(client.blob(todo ?? new Uint8Array())).toString()).toContain('x');
    const tools = turn
      .take('model_call')
      .at(-1)
      ?.request.tools.map(({ name }) => name);
    expect(tools).not.toContain('write_file');
    say(
      ...call('c3', 'create_plan', { name: 'P', overview: '', plan: '# P', todos: ['a', 'b'] }),
      finish('tool_calls'),
    );
    reply({
      case: 'createPlanRequestResponse',
      value: { result: { result: { case: 'success', value: {} } } },
    });
    client.answerAll(turn);
    expect(client.checkpoint?.todos).toHaveLength(2);
    expect(Buffer.from(client.blob(client.checkpoint?.plan ?? new Uint8Array())).toString()).toContain('# P');
    expect(turn.fold().changes).toEqual(turn.state.changes);
  });
});
