import { describe, expect, it } from 'vitest';
import { act } from '../../testing/action-play.ts';
import { runRequest, TestClient } from '../../testing/test-client.ts';
import { TestTurn } from '../../testing/test-turn.ts';
import { finish } from '../../testing/tool-play.ts';

/** A conversation with one turn, and a stream that was prewarmed for its next one. */
function prewarmed() {
  const first = new TestTurn();
  const client = new TestClient();
  first.command(runRequest('hello'));
  first.input({ type: 'activated' });
  client.answerAll(first);
  first.result({ type: 'model_event', call: 1, event: { type: 'text', text: 'Hi.' } });
  first.result({ type: 'model_event', call: 1, event: finish('stop') });
  client.answerAll(first);
  const turn = new TestTurn({ requestId: 'r2' });
  client.readFrom(undefined);
  turn.command({
    case: 'prewarmRequest',
    value: {
      conversationState: client.checkpoint,
      conversationId: 'c1',
      requestedModel: { modelId: 'test-model' },
    },
  });
  return { turn, client };
}

describe('a prewarm', () => {
  it('restores the conversation and its context, calls no model and takes over nothing', () => {
    const { turn, client } = prewarmed();
    client.answerAll(turn);
    expect(turn.state.restore.missing).toBe(0);
    expect(turn.state.context.status).toBe('known');
    expect(turn.take('model_call')).toEqual([]);
    expect(turn.take('activate_conversation')).toEqual([]);
    expect(turn.end).toBeUndefined();
  });

  it.each([
    [
      'a run request',
      (turn: TestTurn, client: TestClient) => turn.command(runRequest('more', client.checkpoint)),
    ],
    [
      'an action',
      (turn: TestTurn) => act(turn, { case: 'userMessageAction', value: { userMessage: { text: 'more' } } }),
    ],
  ])('is gone on from by %s on the same stream, with nothing asked twice', (_, go) => {
    const { turn, client } = prewarmed();
    client.answerAll(turn);
    const asked = turn.frames().length;
    go(turn, client);
    expect(turn.take('activate_conversation')).toHaveLength(1);
    turn.input({ type: 'activated' });
    const gets = turn
      .frames()
      .slice(asked)
      .filter(
        ({ message: { message } }) =>
          message.case === 'execServerMessage' ||
          (message.case === 'kvServerMessage' && message.value.message.case === 'getBlobArgs'),
      );
    expect(gets).toEqual([]);
    expect(turn.take('model_call')[0]?.request.messages.slice(-2)).toMatchObject([
      { role: 'assistant' },
      { content: [{ text: 'more' }] },
    ]);
  });

  it('is gone on from before it is complete', () => {
    const { turn, client } = prewarmed();
    turn.command(runRequest('more', client.checkpoint));
    turn.input({ type: 'activated' });
    client.answerAll(turn);
    expect(turn.take('model_call')[0]?.request.messages.at(-1)).toMatchObject({
      content: [{ text: 'more' }],
    });
  });

  it('that got no context asks again when it matters', () => {
    const { turn, client } = prewarmed();
    turn.expire('request_context');
    turn.command(runRequest('more', client.checkpoint));
    const asked = turn.frames().filter(({ message }) => message.message.case === 'execServerMessage');
    expect(asked).toHaveLength(2);
  });

  it('is ended by a cancel', () => {
    const { turn, client } = prewarmed();
    client.answerAll(turn);
    act(turn, { case: 'cancelAction', value: {} });
    expect(turn.end).toMatchObject({ outcome: 'canceled' });
  });

  it('survives a takeover', () => {
    const { turn, client } = prewarmed();
    client.answerAll(turn);
    turn.takeOver();
    act(turn, { case: 'userMessageAction', value: { userMessage: { text: 'more' } } });
    turn.input({ type: 'activated' });
    expect(turn.take('model_call')).toHaveLength(1);
  });
});
