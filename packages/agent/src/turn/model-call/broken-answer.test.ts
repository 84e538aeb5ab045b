import { TandemError } from '@tandem/errors';
import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../model/port.ts';
import { runRequest, TestClient } from '../../testing/test-client.ts';
import { TestTurn } from '../../testing/test-turn.ts';

const USAGE = {
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 2,
  cacheWriteTokens: 1,
  reasoningTokens: 3,
};
const text = (value: string): ModelEvent => ({ type: 'text', text: value });
const finish = (reason: Extract<ModelEvent, { type: 'finish' }>['reason']): ModelEvent => ({
  type: 'finish',
  reason,
  usage: USAGE,
  deployment: 'd1',
});

/** Brings a turn to its first model call. */
function started(turn = new TestTurn(), client = new TestClient(), request = runRequest('hello')) {
  turn.command(request);
  turn.input({ type: 'activated' });
  client.answerAll(turn);
  return { turn, client };
}

function yields(turn: TestTurn, ...events: ModelEvent[]): void {
  for (const event of events) turn.result({ type: 'model_event', call: turn.state.modelCalls, event });
}

describe('an answer that breaks off', () => {
  it.each(['interrupted', 'error', 'length'] as const)('is continued after %s', (reason) => {
    const { turn, client } = started();
    turn.take('model_call');
    yields(turn, text('Hello wor'), finish(reason));
    const [call] = turn.take('model_call');
    expect(call?.request.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: [{ text: 'Hello wor' }] },
      { role: 'user', content: [{ text: expect.stringContaining('cut off') }] },
    ]);
    yields(turn, text('ld'), finish('stop'));
    client.answerAll(turn);
    expect(client.text).toBe('Hello world');
    expect(turn.end?.outcome).toBe('completed');
    expect(client.turnsEnded).toMatchObject([{ inputTokens: 20n }]);
  });

  it.each([
    ['interrupted', 'provider_interrupted', true],
    ['length', 'output_cut_off', false],
  ] as const)('fails when it is %s again and again, and keeps what was written', (cut, reason, retryable) => {
    const { turn, client } = started();
    for (const part of ['a', 'b', 'c']) yields(turn, text(part), finish(cut));
    client.answerAll(turn);
    expect(turn.end).toMatchObject({ outcome: 'failed', error: { reason, retryable } });
    expect(client.turnsEnded).toEqual([]);
    const said = client
      .transcript()
      .flatMap((message) => (message.role === 'assistant' ? message.content : []));
    expect(said).toMatchObject([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
  });

  it('is asked for again when nothing was shown', () => {
    const { turn } = started();
    turn.take('model_call');
    yields(turn, finish('interrupted'));
    expect(turn.take('model_call')[0]?.request.messages.at(-1)).toMatchObject({
      content: [{}, { text: 'hello' }],
    });
  });

  it('fails with what the provider said, and keeps what the user said', () => {
    const { turn, client } = started();
    turn.result({ type: 'model_failed', call: 1, error: new TandemError('provider_auth') });
    client.answerAll(turn);
    expect(turn.end).toMatchObject({ outcome: 'failed', error: { reason: 'provider_auth' } });
    expect(client.lastTurn().userMessage.text).toBe('hello');
  });
});
