import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { call, content, finish, startToolTurn, updates, WRITTEN } from '../../testing/tool-play.ts';

describe('a turn with tools', () => {
  it('runs the calls of an answer side by side, and gives their results in call order', () => {
    const { turn, client, say, answer } = startToolTurn();
    const [first] = turn.take('model_call');
    expect(first?.request.tools.map(({ name }) => name)).toContain('read_file');
    say(
      { type: 'text', text: 'Let me look.' },
      ...call('c1', 'read_file', { path: 'a' }),
      ...call('c2', 'read_file', { path: 'b' }),
    );
    expect(client.execs).toEqual([]);
    say(finish('tool_calls'));
    expect(client.execs).toHaveLength(2);
    expect(turn.take('model_call')).toEqual([]);
    const [one, two] = client.execs;
    answer(two?.id ?? -1, content('B'));
    answer(one?.id ?? -1, content('A'));
    const [second] = turn.take('model_call');
    expect(second?.request.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: [{ type: 'text' }, { toolCallId: 'c1' }, { toolCallId: 'c2' }] },
      {
        role: 'tool',
        content: [
          { toolCallId: 'c1', output: { value: '     1|A' } },
          { toolCallId: 'c2', output: { value: '     1|B' } },
        ],
      },
    ]);
    say({ type: 'text', text: 'Done.' }, finish('stop'));
    client.answerAll(turn);
    expect(turn.end).toEqual({ kind: 'end', outcome: 'completed' });
    expect(client.lastTurn().steps.map(({ message }) => message.case)).toEqual([
      'assistantMessage',
      'toolCall',
      'toolCall',
      'assistantMessage',
    ]);
    const shown = updates(turn).flatMap(({ case: kind, value }) =>
      kind === 'toolCallStarted' || kind === 'toolCallCompleted' || kind === 'partialToolCall'
        ? [`${kind} ${value.callId}`]
        : [],
    );
    expect(shown).toEqual([
      'partialToolCall c1',
      'partialToolCall c1',
      'partialToolCall c2',
      'partialToolCall c2',
      'toolCallStarted c1',
      'toolCallStarted c2',
      'toolCallCompleted c2',
      'toolCallCompleted c1',
    ]);
  });

  it('sends a checkpoint that names the calls that are out', () => {
    const { turn, client, say } = startToolTurn();
    say(...call('c1', 'read_file', { path: 'a' }), finish('tool_calls'));
    client.answerAll(turn);
    expect(client.checkpoint?.pendingToolCalls).toEqual(['c1']);
  });

  it('makes edits of one file one after another, whatever the spelling, and others at the same time', () => {
    const { turn, client, say, answer } = startToolTurn();
    say(
      ...call('c1', 'edit_file', { path: 'a', old_string: 'x', new_string: 'y' }),
      ...call('c2', 'edit_file', { path: './a', old_string: 'y', new_string: 'z' }),
      ...call('c3', 'read_file', { path: 'a' }),
      ...call('c4', 'read_file', { path: 'b' }),
      finish('tool_calls'),
    );
    expect(client.execs.map(({ execId }) => execId)).toEqual(['c1', 'c4']);
    answer(client.execs[0]?.id ?? -1, content('x'));
    expect(client.execs.at(-1)?.message).toMatchObject({ case: 'writeArgs', value: { fileText: 'y' } });
    answer(client.execs.at(-1)?.id ?? -1, WRITTEN);
    expect(client.execs.at(-1)).toMatchObject({ execId: 'c2', message: { case: 'readArgs' } });
    answer(client.execs.at(-1)?.id ?? -1, content('y'));
    answer(client.execs.at(-1)?.id ?? -1, WRITTEN);
    expect(client.execs.at(-1)).toMatchObject({ execId: 'c3', message: { case: 'readArgs' } });
    answer(client.execs.at(-1)?.id ?? -1, content('z'));
    answer(client.execs[1]?.id ?? -1, content('b'));
    expect(turn.take('model_call').at(-1)?.request.messages.at(-1)).toMatchObject({
      content: [{ output: { value: 'Replaced the text in a.' } }, {}, { output: { value: '     1|z' } }, {}],
    });
  });

  it.each(['stop', 'tool_calls'] as const)('runs complete calls when the answer ends with %s', (reason) => {
    const { client, say } = startToolTurn();
    say(...call('c1', 'read_file', { path: 'a' }), finish(reason));
    expect(client.execs).toHaveLength(1);
  });

  it.each([
    ['an unknown tool', call('c1', 'fly', {}), 'There is no tool fly here.'],
    ['arguments that are no JSON', call('c1', 'read_file', '{"path": "a'), 'not a JSON object'],
    ['arguments that are no object', call('c1', 'read_file', '[1]'), 'not a JSON object'],
    ['wrong arguments', call('c1', 'read_file', { file: 'a' }), 'not right'],
    ['a tool that is not offered', call('c1', 'write_file', { path: 'a', content: '' }), 'There is no tool'],
  ])('tells the model of %s, and runs nothing', (_, events, said) => {
    const { turn, client, say } = startToolTurn({ excludedTools: 'edit_tool_call' });
    turn.take('model_call');
    say(...events, finish('tool_calls'));
    expect(client.execs).toEqual([]);
    expect(turn.take('model_call')[0]?.request.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ toolCallId: 'c1', output: { type: 'error-text', value: expect.stringContaining(said) } }],
    });
  });

  it('S6: takes no arguments at all for an empty object', () => {
    const { turn, say } = startToolTurn();
    turn.take('model_call');
    say({ type: 'tool_call', id: 'c1', name: 'fly', input: '' }, finish('tool_calls'));
    expect(turn.take('model_call')[0]?.request.messages.at(-2)).toMatchObject({ content: [{ input: {} }] });
  });

  it('S18: never runs a call that was cut off, says so, and stops when it goes on', () => {
    const { turn, client, say } = startToolTurn();
    for (let count = 0; count < 3; count++) {
      const [request] = turn.take('model_call');
      const told = JSON.stringify(request?.request.messages.at(-1)).includes('smaller calls');
      expect(told).toBe(count > 0);
      const id = `c${count}`;
      say(
        { type: 'tool_input_start', id, name: 'write_file' },
        { type: 'tool_input_delta', id, delta: '{"path":"a' },
      );
      say(finish('length'));
    }
    client.answerAll(turn);
    expect(client.execs).toEqual([]);
    expect(turn.end).toMatchObject({
      outcome: 'failed',
      error: { reason: 'output_cut_off', retryable: false },
    });
    expect(updates(turn).filter(({ case: kind }) => kind === 'toolCallCompleted')).toHaveLength(3);
  });

  it('stops a model that makes the same call again and again', () => {
    const { turn, client, say, answer } = startToolTurn();
    for (let count = 0; count < 20 && !turn.state.ending; count++) {
      say(...call(`c${count}`, 'read_file', { path: 'a' }), finish('tool_calls'));
      answer(client.execs.at(-1)?.id ?? -1, content('same'));
    }
    client.answerAll(turn);
    expect(turn.state.modelCalls).toBe(8);
    expect(turn.end).toMatchObject({
      outcome: 'failed',
      error: { reason: 'model_repeats', retryable: false },
    });
  });

  it.each([
    [undefined, 12],
    [0, 8],
  ])('lets a model wait again and again, but not look all the time (%s)', (timeout_ms, calls) => {
    const { turn, client, say, answer } = startToolTurn();
    const running = { case: 'stillRunning', value: {} } as const;
    for (let count = 0; count < 12 && !turn.state.ending; count++) {
      say(...call(`c${count}`, 'await_task', { agent_id: 'a', timeout_ms }), finish('tool_calls'));
      answer(client.execs.at(-1)?.id ?? -1, { case: 'subagentAwaitResult', value: { result: running } });
    }
    expect(turn.state.modelCalls).toBe(timeout_ms === 0 ? calls : calls + 1);
  });

  it('gives a call an id of its own, though its provider numbers the calls of each answer anew', () => {
    const { turn, client, say, answer } = startToolTurn();
    for (const path of ['a', 'b', 'a']) {
      say(...call('call_0', 'read_file', { path }), finish('tool_calls'));
      answer(client.execs.at(-1)?.id ?? -1, content(path));
    }
    const ids = client.execs.map(({ message }) => message.case === 'readArgs' && message.value.toolCallId);
    expect(ids).toEqual(['call_0', 'call_0.2', 'call_0.3']);
    const messages = turn.take('model_call').at(-1)?.request.messages.slice(-2);
    expect(messages).toMatchObject([
      { content: [{ toolCallId: 'call_0.3' }] },
      { content: [{ toolCallId: 'call_0.3', output: { value: '     1|a' } }] },
    ]);
    expect(
      updates(turn)
        .filter(({ case: kind }) => kind === 'partialToolCall')
        .at(-1)?.value,
    ).toMatchObject({
      callId: 'call_0.3',
      argsTextDelta: '{"path":"a"}',
    });
  });

  it('shows what a command prints while it runs', () => {
    const { turn, client, say } = startToolTurn();
    say(...call('c1', 'run_command', { command: 'ls' }), finish('tool_calls'));
    const id = client.execs[0]?.id ?? -1;
    const stream = (event: MessageInitShape<typeof agent.ShellStreamSchema>['event']) =>
      turn.command({
        case: 'execClientMessage',
        value: { id, message: { case: 'shellStream', value: { event } } },
      });
    // A user may take long to allow it.
    const allowed = { type: 'set_timer', name: `exec:${id}`, ms: 6 * 3_600_000 };
    expect(turn.take('set_timer')).toContainEqual(expect.objectContaining(allowed));
    stream({ case: 'start', value: {} });
    expect(turn.take('clear_timer')).toContainEqual({ type: 'clear_timer', name: `exec:${id}` });
    expect(turn.take('set_timer')).toContainEqual(
      expect.objectContaining({ type: 'set_timer', name: `exec:${id}:run`, ms: 140_000 }),
    );
    stream({ case: 'stdout', value: { data: 'a.ts\n' } });
    stream({ case: 'exit', value: { code: 0 } });
    expect(turn.take('clear_timer')).toContainEqual({ type: 'clear_timer', name: `exec:${id}:run` });
    expect(updates(turn).find(({ case: kind }) => kind === 'toolCallDelta')).toMatchObject({
      value: {
        callId: 'c1',
        toolCallDelta: { delta: { value: { delta: { case: 'stdout', value: { content: 'a.ts\n' } } } } },
      },
    });
    expect(turn.take('model_call').at(-1)?.request.messages.at(-1)).toMatchObject({
      content: [{ output: { value: 'a.ts\n[Exit code 0]' } }],
    });
  });
});
