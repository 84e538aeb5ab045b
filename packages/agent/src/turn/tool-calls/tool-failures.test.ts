import { describe, expect, it } from 'vitest';
import { runRequest } from '../../testing/test-client.ts';
import { TestTurn } from '../../testing/test-turn.ts';
import { call, content, type ExecAnswer, finish, startToolTurn, updates } from '../../testing/tool-play.ts';

const error = (value: string) => ({ content: [{ output: { type: 'error-text', value } }] });

describe('P4: a client that does not answer as it should', () => {
  const reading = () => {
    const all = startToolTurn();
    all.say(...call('c1', 'read_file', { path: 'a' }), finish('tool_calls'));
    all.turn.take('model_call');
    const id = all.client.execs[0]?.id ?? -1;
    const said = () => all.turn.take('model_call')[0]?.request.messages.at(-1);
    return { ...all, id, said };
  };

  it('is not waited for forever, however many heartbeats it sends', () => {
    const { turn, client, id, said } = reading();
    expect(turn.take('set_timer')).toContainEqual(
      expect.objectContaining({ type: 'set_timer', name: `exec:${id}`, ms: 120_000 }),
    );
    for (let count = 0; count < 5; count++) {
      turn.command({ case: 'clientHeartbeat', value: {} });
      turn.command({
        case: 'execClientControlMessage',
        value: { message: { case: 'heartbeat', value: { id } } },
      });
    }
    expect(turn.take('set_timer').filter(({ name }) => name.startsWith('exec:'))).toEqual([]);
    turn.expire(`exec:${id}`);
    client.read(turn);
    expect(client.aborted).toEqual([id]);
    expect(said()).toMatchObject(
      error('No answer came in time, and it was stopped. It may have had some of its effect.'),
    );
  });

  it.each([
    [
      'throws',
      { case: 'throw', value: { id: 1, error: 'boom' } } as const,
      'The client could not do it: boom',
    ],
    [
      'closes without an answer',
      { case: 'streamClose', value: { id: 1 } } as const,
      'The client ended it without an answer.',
    ],
  ])('and the model is told when it %s', (_, message, value) => {
    const { turn, id, said } = reading();
    const control = { ...message, value: { ...message.value, id } } as typeof message;
    turn.command({ case: 'execClientControlMessage', value: { message: control } });
    expect(said()).toMatchObject(error(value));
  });

  it.each([
    ['a kind that is not known', { case: undefined } as const],
    ['another kind', { case: 'lsResult', value: {} } as const],
    ['no result', { case: 'readResult', value: {} } as const],
  ])('and the model is told when the answer is of %s', (_, message) => {
    const { id, answer, said } = reading();
    answer(id, message);
    expect(said()).toMatchObject(error('The client gave an answer that is not understood.'));
  });

  it.each<[string, string, unknown, ExecAnswer, string]>([
    [
      'a rejected edit',
      'edit_file',
      { path: 'a', old_string: '', new_string: 'x' },
      { case: 'readResult', value: { result: { case: 'rejected', value: { reason: 'private' } } } },
      'The user did not allow it. private',
    ],
    [
      'a rejected command',
      'run_command',
      { command: 'x' },
      { case: 'shellStream', value: { event: { case: 'rejected', value: { reason: 'no' } } } },
      'The user did not allow it. no',
    ],
    [
      'a denied command',
      'run_command',
      { command: 'x' },
      { case: 'shellStream', value: { event: { case: 'permissionDenied', value: { error: 'rule' } } } },
      'The command may not be run. rule',
    ],
    [
      'a rejected start in the background',
      'run_command',
      { command: 'x', background: true },
      { case: 'backgroundShellSpawnResult', value: { result: { case: 'rejected', value: { reason: '' } } } },
      'The user did not allow it.',
    ],
    [
      'a rejected deletion',
      'delete_file',
      { path: 'a' },
      { case: 'deleteResult', value: { result: { case: 'rejected', value: { reason: '' } } } },
      'The user did not allow it.',
    ],
  ])('and the model is told of %s', (_, name, input, message, value) => {
    const { turn, client, say, answer } = startToolTurn();
    say(...call('c1', name, input), finish('tool_calls'));
    turn.take('model_call');
    answer(client.execs.at(-1)?.id ?? -1, message);
    expect(turn.take('model_call')[0]?.request.messages.at(-1)).toMatchObject(error(value));
  });

  it('and the model is told when a command closes without its exit', () => {
    const { turn, client, say } = startToolTurn();
    say(...call('c1', 'run_command', { command: 'x' }), finish('tool_calls'));
    turn.take('model_call');
    const id = client.execs[0]?.id ?? -1;
    const stream = { case: 'shellStream', value: { event: { case: 'start', value: {} } } } as const;
    turn.command({ case: 'execClientMessage', value: { id, message: stream } });
    const closed = { message: { case: 'streamClose', value: { id } } } as const;
    turn.command({ case: 'execClientControlMessage', value: closed });
    expect(turn.take('model_call')[0]?.request.messages.at(-1)).toMatchObject(
      error('The client ended it without an answer.'),
    );
    expect(turn.take('clear_timer')).toContainEqual({ type: 'clear_timer', name: `exec:${id}:run` });
  });

  it('is bounded even before a command begins, though a user may take long to allow it', () => {
    const { turn, client, say } = startToolTurn();
    say(...call('c1', 'run_command', { command: 'x' }), finish('tool_calls'));
    turn.take('model_call');
    const name = `exec:${client.execs[0]?.id ?? -1}`;
    expect(turn.take('set_timer')).toContainEqual(
      expect.objectContaining({ type: 'set_timer', name, ms: 6 * 3_600_000 }),
    );
    turn.expire(name);
    expect(turn.take('model_call')).toHaveLength(1);
  });

  it('answers of nobody change nothing', () => {
    const { turn, answer } = reading();
    const entries = turn.frames().length;
    answer(999, content('x'));
    turn.command({ case: 'interactionResponse', value: { id: 7 } });
    expect(turn.frames()).toHaveLength(entries);
  });
});

describe('C1: a turn that is stopped in the middle of its tools', () => {
  const CANCEL = {
    case: 'conversationAction',
    value: { action: { case: 'cancelAction', value: {} } },
  } as const;
  const pair = () => {
    const all = startToolTurn();
    all.say(
      { type: 'text', text: 'abc' },
      ...call('c1', 'read_file', { path: 'a' }),
      ...call('c2', 'run_command', { command: 'sleep 300' }),
      finish('tool_calls'),
    );
    all.answer(all.client.execs[0]?.id ?? -1, content('A'));
    return all;
  };

  it('keeps what was finished, pairs what was not, and waits until the client has stopped', () => {
    const { turn, client, answer } = pair();
    turn.command(CANCEL);
    client.answerAll(turn);
    const id = client.execs[1]?.id ?? -1;
    expect(client.aborted).toEqual([id]);
    expect(turn.end).toBeUndefined();
    answer(id, {
      case: 'shellStream',
      value: { event: { case: 'exit', value: { code: 1, aborted: true } } },
    });
    client.answerAll(turn);
    expect(turn.end).toEqual({ kind: 'end', outcome: 'canceled' });
    expect(client.checkpoint?.pendingToolCalls).toEqual([]);
    expect(client.transcript().slice(-2)).toMatchObject([
      { role: 'assistant', content: [{ text: 'abc' }, { toolCallId: 'c1' }, { toolCallId: 'c2' }] },
      {
        role: 'tool',
        content: [
          { output: { value: '     1|A' } },
          { output: { type: 'error-text', value: 'Stopped before it was finished.' } },
        ],
      },
    ]);
  });

  it('does not wait long for a client that does not stop', () => {
    const { turn, client } = pair();
    turn.command(CANCEL);
    client.answerAll(turn);
    turn.expire('ending');
    expect(turn.end).toEqual({ kind: 'end', outcome: 'canceled' });
  });

  it.each(['resume', 'message'])('pairs open calls of a checkpoint that a %s brings', (kind) => {
    const { turn: first, client } = pair();
    client.answerAll(first);
    const checkpoint = client.checkpoint;
    expect(checkpoint?.pendingToolCalls).toEqual(['c2']);
    client.readFrom(undefined);
    const turn = new TestTurn({ requestId: 'r2' });
    turn.command(runRequest(kind === 'resume' ? undefined : 'what did you find?', checkpoint));
    turn.input({ type: 'activated' });
    client.answerAll(turn);
    const messages = turn.take('model_call')[0]?.request.messages ?? [];
    const results = messages.findLast(({ role }) => role === 'tool');
    expect(results).toMatchObject({
      content: [
        { toolCallId: 'c1', output: { type: 'error-text' } },
        { toolCallId: 'c2', output: { type: 'error-text' } },
      ],
    });
    expect(messages.at(-1)?.role).toBe(kind === 'resume' ? 'tool' : 'user');
  });
});

describe('a retry while execs are out', () => {
  it('asks reads again, and tells of the others that nobody knows', () => {
    const { turn, client, say } = startToolTurn();
    say(
      ...call('c1', 'read_file', { path: 'a' }),
      ...call('c2', 'run_command', { command: 'x' }),
      ...call('c3', 'delete_file', { path: 'c' }),
      finish('tool_calls'),
    );
    // The client answered a blob that was written later, so that it has had the requests.
    client.answerAll(turn);
    const before = client.execs.length;
    turn.attempt(runRequest(undefined, client.checkpoint), 'r2');
    client.read(turn);
    const again = client.execs.slice(before);
    expect(again).toMatchObject([{ execId: 'c1', message: { case: 'readArgs' } }]);
    expect(turn.state.toolCalls.map(({ output }) => output?.type)).toEqual([
      undefined,
      'error-text',
      'error-text',
    ]);
    turn.command(
      { case: 'execClientMessage', value: { id: again[0]?.id ?? -1, message: content('A') } },
      'r2',
    );
    expect(turn.take('model_call').at(-1)?.request.messages.at(-1)).toMatchObject({
      content: [
        { output: { value: '     1|A' } },
        { output: { value: expect.stringContaining('outcome unknown') } },
        {},
      ],
    });
  });
});

describe('T5: a tool whose arguments no provider takes', () => {
  it('is left out, which the user is told and the model is not; the turn goes on', () => {
    const mcpTools = [
      { name: 'bad', toolName: 'bad', providerIdentifier: 's', inputSchemaJson: '{"type":"string"}' },
      { name: 'good', toolName: 'good', providerIdentifier: 's', inputSchemaJson: '{"type":"object"}' },
    ];
    const request = runRequest('hello', undefined, { mcpTools: { mcpTools } });
    const { turn, client, say } = startToolTurn({}, request);
    const names = turn.take('model_call')[0]?.request.tools.map(({ name }) => name);
    expect(names).toContain('good');
    expect(names).not.toContain('bad');
    say({ type: 'text', text: 'Hi.' }, finish('stop'));
    client.answerAll(turn);
    expect(turn.end).toEqual({ kind: 'end', outcome: 'completed' });
    const notices = updates(turn).filter(
      ({ case: kind, value }) => kind === 'textDelta' && value.isServerNotice,
    );
    expect(notices).toMatchObject([{ value: { text: expect.stringContaining('The tool bad of s') } }]);
    expect(JSON.stringify(client.transcript())).not.toContain('bad');
  });
});
