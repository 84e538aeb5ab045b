import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../model/port.ts';
import { runRequest, TestClient } from '../testing/test-client.ts';
import { TestTurn, type TestTurnOptions } from '../testing/test-turn.ts';

type ExecAnswer = MessageInitShape<typeof agent.ExecClientMessageSchema>['message'];

const USAGE = {
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
const finish = (reason: Extract<ModelEvent, { type: 'finish' }>['reason']): ModelEvent => ({
  type: 'finish',
  reason,
  usage: USAGE,
  deployment: '',
});

/** A client whose execs the test answers by hand. */
class ToolClient extends TestClient {
  execs: agent.ExecServerMessage[] = [];
  aborted: number[] = [];

  override answerExec(exec: agent.ExecServerMessage): void {
    if (exec.message.case === 'requestContextArgs') super.answerExec(exec);
    else this.execs.push(exec);
  }

  override abortExec(id: number): void {
    this.aborted.push(id);
  }
}

function call(id: string, name: string, input: unknown): ModelEvent[] {
  const json = typeof input === 'string' ? input : JSON.stringify(input);
  return [
    { type: 'tool_input_start', id, name },
    { type: 'tool_input_delta', id, delta: json },
    { type: 'tool_call', id, name, input: json },
  ];
}

function started(options: TestTurnOptions = {}, request = runRequest('hello')) {
  const turn = new TestTurn(options);
  const client = new ToolClient();
  turn.command(request);
  turn.input({ type: 'claimed' });
  client.answerAll(turn);
  const say = (...events: ModelEvent[]) => {
    for (const event of events) turn.result({ type: 'model_event', call: turn.state.modelCalls, event });
    client.read(turn);
  };
  const answer = (id: number, message: ExecAnswer) => {
    turn.command({ case: 'execClientMessage', value: { id, message } });
    turn.command({
      case: 'execClientControlMessage',
      value: { message: { case: 'streamClose', value: { id } } },
    });
    client.read(turn);
  };
  return { turn, client, say, answer };
}

const content = (value: string): ExecAnswer => ({
  case: 'readResult',
  value: { result: { case: 'success', value: { path: 'a', output: { case: 'content', value } } } },
});
const WRITTEN: ExecAnswer = {
  case: 'writeResult',
  value: { result: { case: 'success', value: { path: 'a' } } },
};

function updates(turn: TestTurn): agent.InteractionUpdate['message'][] {
  return turn
    .frames()
    .flatMap(({ message: { message } }) =>
      message.case === 'interactionUpdate' ? [message.value.message] : [],
    );
}

describe('a turn with tools', () => {
  it('runs the calls of an answer side by side, and gives their results in call order', () => {
    const { turn, client, say, answer } = started();
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
    const { turn, client, say } = started();
    say(...call('c1', 'read_file', { path: 'a' }), finish('tool_calls'));
    client.answerAll(turn);
    expect(client.checkpoint?.pendingToolCalls).toEqual(['c1']);
  });

  it('makes edits of one file one after another, whatever the spelling, and others at the same time', () => {
    const { turn, client, say, answer } = started();
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
    const { client, say } = started();
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
    const { turn, client, say } = started({ excludedTools: 'edit_tool_call' });
    turn.take('model_call');
    say(...events, finish('tool_calls'));
    expect(client.execs).toEqual([]);
    expect(turn.take('model_call')[0]?.request.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ toolCallId: 'c1', output: { type: 'error-text', value: expect.stringContaining(said) } }],
    });
  });

  it('S6: takes no arguments at all for an empty object', () => {
    const { turn, say } = started();
    turn.take('model_call');
    say({ type: 'tool_call', id: 'c1', name: 'fly', input: '' }, finish('tool_calls'));
    expect(turn.take('model_call')[0]?.request.messages.at(-2)).toMatchObject({ content: [{ input: {} }] });
  });

  it('S18: never runs a call that was cut off, says so, and stops when it goes on', () => {
    const { turn, client, say } = started();
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
    const { turn, client, say, answer } = started();
    for (let count = 0; count < 20 && !turn.state.ending; count++) {
      say(...call(`c${count}`, 'read_file', { path: 'a' }), finish('tool_calls'));
      answer(client.execs.at(-1)?.id ?? -1, content('same'));
    }
    client.answerAll(turn);
    expect(turn.state.modelCalls).toBe(8);
    expect(turn.end).toMatchObject({
      outcome: 'failed',
      error: { title: 'The model kept making the same tool call.' },
    });
  });

  it('shows what a command prints while it runs', () => {
    const { turn, client, say } = started();
    say(...call('c1', 'run_command', { command: 'ls' }), finish('tool_calls'));
    const id = client.execs[0]?.id ?? -1;
    const stream = (event: MessageInitShape<typeof agent.ShellStreamSchema>['event']) =>
      turn.command({
        case: 'execClientMessage',
        value: { id, message: { case: 'shellStream', value: { event } } },
      });
    expect(turn.take('set_timer').some(({ name }) => name === `exec:${id}`)).toBe(false);
    stream({ case: 'start', value: {} });
    expect(turn.take('set_timer')).toContainEqual({ type: 'set_timer', name: `exec:${id}`, ms: 140_000 });
    stream({ case: 'stdout', value: { data: 'a.ts\n' } });
    stream({ case: 'exit', value: { code: 0 } });
    expect(turn.take('clear_timer')).toContainEqual({ type: 'clear_timer', name: `exec:${id}` });
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

describe('P4: a client that does not answer as it should', () => {
  const reading = () => {
    const all = started();
    all.say(...call('c1', 'read_file', { path: 'a' }), finish('tool_calls'));
    all.turn.take('model_call');
    const id = all.client.execs[0]?.id ?? -1;
    const said = () => all.turn.take('model_call')[0]?.request.messages.at(-1);
    return { ...all, id, said };
  };
  const error = (value: string) => ({ content: [{ output: { type: 'error-text', value } }] });

  it('is not waited for forever, however many heartbeats it sends', () => {
    const { turn, client, id, said } = reading();
    expect(turn.take('set_timer')).toContainEqual({ type: 'set_timer', name: `exec:${id}`, ms: 120_000 });
    for (let count = 0; count < 5; count++) {
      turn.command({ case: 'clientHeartbeat', value: {} });
      turn.command({
        case: 'execClientControlMessage',
        value: { message: { case: 'heartbeat', value: { id } } },
      });
    }
    expect(turn.take('set_timer').filter(({ name }) => name.startsWith('exec:'))).toEqual([]);
    turn.input({ type: 'timer', name: `exec:${id}` });
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
    const all = started();
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
    turn.input({ type: 'timer', name: 'ending' });
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
    turn.input({ type: 'claimed' });
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
    const { turn, client, say } = started();
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
    expect(turn.state.batch.map(({ output }) => output?.type)).toEqual([
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
        { output: { value: expect.stringContaining('not known') } },
        {},
      ],
    });
  });
});
