import { TandemError } from '@tandem/errors';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../testing/action-play.ts';
import { runRequest } from '../../testing/test-client.ts';
import { TestTurn } from '../../testing/test-turn.ts';
import { call, content, finish, startToolTurn, type ToolClient } from '../../testing/tool-play.ts';

/** A turn that has read a file and is at its second model call. */
function afterFirstTool() {
  const played = startToolTurn();
  played.say({ type: 'text', text: 'abc' }, ...call('c1', 'read_file', { path: 'a' }), finish('tool_calls'));
  played.answer(played.client.execs[0]?.id ?? -1, content('A'));
  played.turn.take('model_call');
  return played;
}

/** What the model is asked when the conversation goes on in a turn of its own. */
function goOn(client: ToolClient, text: string | undefined) {
  const turn = new TestTurn({ requestId: 'r2' });
  client.readFrom(undefined);
  client.execs = [];
  turn.command(runRequest(text, client.checkpoint));
  turn.input({ type: 'activated' });
  client.answerAll(turn);
  return { turn, messages: turn.take('model_call')[0]?.request.messages ?? [] };
}

const DONE = [
  { role: 'assistant', content: [{ text: 'abc' }, { toolCallId: 'c1' }] },
  { role: 'tool', content: [{ toolCallId: 'c1', output: { value: '     1|A' } }] },
];

describe('C1: what was finished outlives the turn', () => {
  it('when the provider fails after a tool, and the client resumes', () => {
    const { turn, client } = afterFirstTool();
    turn.result({ type: 'model_failed', call: 2, error: new TandemError('provider_unavailable') });
    client.answerAll(turn);
    expect(turn.end).toMatchObject({ outcome: 'failed', error: { retryable: true } });
    const { messages } = goOn(client, undefined);
    expect(messages.slice(-2)).toMatchObject(DONE);
    expect(client.execs).toEqual([]);
  });

  it('when the process is lost after a tool', () => {
    const { turn, client, say } = afterFirstTool();
    turn.takeOver();
    expect(turn.take('model_call')[0]?.request.messages.slice(-2)).toMatchObject(DONE);
    client.answerAll(turn);
    expect(client.execs).toHaveLength(1);
    say({ type: 'text', text: 'done' }, finish('stop'));
    client.answerAll(turn);
    expect(turn.end?.outcome).toBe('completed');
  });

  it('when the user stops it and asks what was found', () => {
    const { turn, client } = afterFirstTool();
    turn.command({ case: 'conversationAction', value: { action: { case: 'cancelAction', value: {} } } });
    client.answerAll(turn);
    const { messages } = goOn(client, 'what did you find?');
    expect(messages.slice(-3)).toMatchObject([...DONE, { role: 'user' }]);
    expect(textOf(messages.at(-1))).toContain('what did you find?');
  });

  it('and going on twice from the same checkpoint adds nothing', () => {
    const { turn, client } = afterFirstTool();
    turn.result({ type: 'model_failed', call: 2, error: new TandemError('provider_unavailable') });
    client.answerAll(turn);
    const first = goOn(client, undefined);
    first.turn.result({ type: 'model_failed', call: 1, error: new TandemError('provider_unavailable') });
    client.answerAll(first.turn);
    const second = goOn(client, undefined);
    expect(second.messages).toEqual(first.messages);
    expect(client.checkpoint?.turns).toHaveLength(1);
  });
});

describe('a full window', () => {
  it('ends the turn with an error that says so, and keeps what there is', () => {
    const { turn, client, say, answer } = startToolTurn();
    const usage = {
      inputTokens: 900,
      outputTokens: 100,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    };
    say(...call('c1', 'read_file', { path: 'a' }), {
      type: 'finish',
      reason: 'tool_calls',
      usage,
      deployment: '',
    });
    answer(client.execs[0]?.id ?? -1, content('A'));
    client.answerAll(turn);
    expect(turn.end).toMatchObject({
      outcome: 'failed',
      error: { reason: 'context_too_long', retryable: false },
    });
    expect(client.transcript().at(-1)?.role).toBe('tool');
    expect(goOn(client, 'more').turn.end ?? goOn(client, 'more').turn.state.ending).toBeTruthy();
  });
});

describe('a checkpoint', () => {
  it('names no draft that its client has not confirmed when the draft has become the answer', () => {
    const { turn, client, say } = startToolTurn();
    say({ type: 'text', text: 'Half' });
    turn.attempt(runRequest(undefined, client.checkpoint), 'r2');
    client.read(turn);
    turn.command(
      { case: 'conversationAction', value: { action: { case: 'cancelAction', value: {} } } },
      'r2',
    );
    while (client.answers.length > 0) {
      // Reading checks that a checkpoint refers to nothing that is not there.
      client.give(turn, client.answers.length - 1, 'r2');
      client.read(turn);
    }
    expect(turn.end?.outcome).toBe('canceled');
    expect(textOf(client.transcript().at(-1))).toBe('Half');
  });

  it('waits for what it refers to, and for nothing that was replaced', () => {
    const { turn, client, say } = startToolTurn();
    say({ type: 'text', text: 'Half' });
    turn.attempt(runRequest(undefined, client.checkpoint), 'r2');
    client.read(turn);
    // The draft's blobs are not confirmed yet when the answer is complete.
    const late = client.answers.splice(0);
    say({ type: 'text', text: ' whole' }, finish('stop'));
    const before = client.checkpoint;
    client.read(turn);
    const shown = turn.state.pendingWrites.size;
    expect([...turn.state.pendingWrites.values()].filter(({ replaced }) => replaced)).toHaveLength(2);
    while (client.answers.length > 0) client.give(turn, 0, 'r2');
    expect(shown).toBeGreaterThan(2);
    // What the draft wrote of steps is still waited for; its structure and message are not.
    for (const answer of late) client.deliver(turn, answer, 'r2');
    client.answerAll(turn);
    expect(client.checkpoint).not.toEqual(before);
    expect(turn.end?.outcome).toBe('completed');
  });
});
