import { TandemError } from '@tandem/errors';
import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../model/port.ts';
import { runRequest, TestClient } from '../../testing/test-client.ts';
import { TestTurn } from '../../testing/test-turn.ts';

const text = (value: string): ModelEvent => ({ type: 'text', text: value });
const CANCEL = {
  case: 'conversationAction',
  value: { action: { case: 'cancelAction', value: { reason: 'user' } } },
} as const;

function streaming() {
  const turn = new TestTurn();
  const client = new TestClient();
  turn.command(runRequest('hello'));
  turn.input({ type: 'activated' });
  client.answerAll(turn);
  turn.result({ type: 'model_event', call: 1, event: text('Half an ans') });
  turn.take('model_call');
  return { turn, client };
}

describe('a cancel by the user', () => {
  it('keeps what was written, and ends so that clients do not try again', () => {
    const { turn, client } = streaming();
    turn.command(CANCEL);
    expect(turn.take('abort_model')).toEqual([{ type: 'abort_model', call: 1 }]);
    expect(turn.end).toBeUndefined();
    client.answerAll(turn);
    expect(turn.end).toEqual({ kind: 'end', outcome: 'canceled' });
    expect(client.turnsEnded).toHaveLength(1);
    expect(client.transcript().at(-1)).toMatchObject({ content: [{ text: 'Half an ans' }] });
    expect(client.lastTurn().steps).toHaveLength(1);
    const kinds = turn.frames().map(({ message }) => message.message.case);
    expect(kinds.slice(-1)).toEqual(['conversationCheckpointUpdate']);
  });

  it('takes nothing more from the model', () => {
    const { turn, client } = streaming();
    turn.command(CANCEL);
    turn.result({ type: 'model_event', call: 1, event: text('wer') });
    turn.result({ type: 'model_failed', call: 1, error: new TandemError('internal') });
    client.answerAll(turn);
    expect(client.text).toBe('Half an ans');
    expect(turn.end?.outcome).toBe('canceled');
  });

  it('does not wait for a client that confirms nothing', () => {
    const { turn } = streaming();
    turn.command(CANCEL);
    expect(turn.take('set_timer').at(-1)).toMatchObject({ name: 'ending', ms: 5000 });
    const before = turn.frames().length;
    turn.expire('ending');
    expect(turn.end?.outcome).toBe('canceled');
    expect(turn.frames()).toHaveLength(before);
  });

  it('keeps the message when it comes before the turn has begun', () => {
    const turn = new TestTurn();
    const client = new TestClient();
    turn.command(runRequest('hello'));
    turn.command(CANCEL);
    expect(turn.end).toBeUndefined();
    client.answerAll(turn);
    expect(turn.end).toEqual({ kind: 'end', outcome: 'canceled' });
    expect(turn.take('model_call')).toEqual([]);
    expect(client.transcript()).toMatchObject([{ role: 'system' }, { content: [{ text: 'hello' }] }]);
    expect(client.lastTurn()).toMatchObject({ userMessage: { text: 'hello' }, steps: [] });
  });

  it('keeps the message of a conversation that was not restored yet, unless calls of it are open', () => {
    for (const pending of [[], ['c1']]) {
      const { turn: first, client } = streaming();
      first.command(CANCEL);
      client.answerAll(first);
      const turn = new TestTurn({ requestId: 'r2' });
      client.readFrom(undefined);
      const state = client.checkpoint && { ...client.checkpoint, pendingToolCalls: pending };
      turn.command(runRequest('and then?', state));
      turn.command(CANCEL);
      client.answerAll(turn);
      expect(turn.end).toEqual({ kind: 'end', outcome: 'canceled' });
      expect(JSON.stringify(client.transcript()).includes('and then?')).toBe(pending.length === 0);
    }
  });
});

it('ends a superseded turn with a reason, after a checkpoint', () => {
  const { turn, client } = streaming();
  turn.input({ type: 'superseded' });
  client.answerAll(turn);
  expect(turn.end).toMatchObject({ outcome: 'canceled', error: { reason: 'superseded', retryable: false } });
  expect(client.transcript().at(-1)).toMatchObject({ content: [{ text: 'Half an ans' }] });
});

it('ends an orphaned turn without a word', () => {
  const { turn } = streaming();
  const before = turn.frames().length;
  turn.input({ type: 'orphaned' });
  expect(turn.take('abort_model')).toHaveLength(1);
  expect(turn.end).toMatchObject({ outcome: 'canceled', error: { reason: 'client_gone' } });
  expect(turn.frames()).toHaveLength(before);
});

it('ends a turn that the runtime gives up, with what it has', () => {
  const { turn, client } = streaming();
  turn.input({ type: 'failed', error: new TandemError('run_too_long') });
  client.answerAll(turn);
  expect(turn.end).toMatchObject({ outcome: 'failed', error: { reason: 'run_too_long' } });
  expect(client.transcript().at(-1)).toMatchObject({ content: [{ text: 'Half an ans' }] });
});

it('continues a canceled answer in the next turn with all that was said', () => {
  const { turn: first, client } = streaming();
  first.command(CANCEL);
  client.answerAll(first);
  const turn = new TestTurn({ requestId: 'r2' });
  client.readFrom(undefined);
  turn.command(runRequest('go on', client.checkpoint));
  turn.input({ type: 'activated' });
  client.answerAll(turn);
  expect(turn.take('model_call')[0]?.request.messages.slice(-2)).toMatchObject([
    { role: 'assistant', content: [{ text: 'Half an ans' }] },
    { role: 'user', content: [{ text: 'go on' }] },
  ]);
});

it('resumes a turn from its checkpoint', () => {
  const { turn: first, client } = streaming();
  first.input({ type: 'failed', error: new TandemError('internal') });
  client.answerAll(first);
  const turn = new TestTurn({ requestId: 'r2' });
  client.readFrom(undefined);
  turn.command(runRequest(undefined, client.checkpoint));
  turn.input({ type: 'activated' });
  client.answerAll(turn);
  expect(turn.take('model_call')[0]?.request.messages.slice(-2)).toMatchObject([
    { role: 'assistant', content: [{ text: 'Half an ans' }] },
    { role: 'user', content: [{ text: expect.stringContaining('cut off') }] },
  ]);
  turn.result({ type: 'model_event', call: 1, event: text('wer') });
  const usage = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  turn.result({
    type: 'model_event',
    call: 1,
    event: { type: 'finish', reason: 'stop', usage, deployment: '' },
  });
  client.answerAll(turn);
  expect(client.text).toBe('Half an answer');
  expect(client.checkpoint?.turns).toHaveLength(1);
  expect(client.lastTurn()).toMatchObject({ userMessage: { text: 'hello' }, steps: [{}, {}] });
});
