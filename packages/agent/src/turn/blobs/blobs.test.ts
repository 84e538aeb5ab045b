import { expect, it } from 'vitest';
import { runRequest, TestClient } from '../../testing/test-client.ts';
import { TestTurn } from '../../testing/test-turn.ts';

function opened() {
  const turn = new TestTurn();
  const client = new TestClient();
  turn.command(runRequest('hello'));
  turn.input({ type: 'activated' });
  client.read(turn);
  while (client.answers.length > 0) client.give(turn);
  client.read(turn);
  return { turn, client };
}

function refuse(turn: TestTurn, id: number): void {
  turn.command({
    case: 'kvClientMessage',
    value: { id, message: { case: 'setBlobResult', value: { error: { message: 'disk full' } } } },
  });
}

it('repeats a refused write once under a new id, and no checkpoint goes out before it is confirmed', () => {
  const { turn, client } = opened();
  const [id = -1] = turn.state.pendingWrites.keys();
  const before = turn.frames().length;
  refuse(turn, id);
  const repeated = turn.frames().slice(before);
  expect(repeated).toHaveLength(1);
  client.answers = client.answers.filter(
    ({ message }) => message?.case !== 'kvClientMessage' || message.value?.id !== id,
  );
  while (client.answers.length > 0) client.give(turn);
  expect(client.checkpoint).toBeUndefined();
  client.answerAll(turn);
  expect(client.checkpoint).toBeDefined();
});

it('fails when the client refuses again', () => {
  const { turn } = opened();
  const [id = -1] = turn.state.pendingWrites.keys();
  refuse(turn, id);
  const again = [...turn.state.pendingWrites.keys()].at(-1) ?? -1;
  refuse(turn, again);
  expect(turn.end).toMatchObject({ outcome: 'failed', error: { reason: 'blob_rejected' } });
  expect(turn.take('abort_model')).toHaveLength(1);
});

it('fails when the client answers no blob request for a minute, however long the turn', () => {
  const { turn, client } = opened();
  expect(turn.take('set_timer').findLast(({ name }) => name === 'blobs')?.ms).toBe(90_000);
  client.give(turn);
  // An answer starts the clock anew.
  expect(turn.effects.filter((effect) => 'name' in effect && effect.name === 'blobs')).toMatchObject([
    { type: 'clear_timer' },
    { type: 'set_timer' },
  ]);
  turn.expire('blobs');
  expect(turn.end).toMatchObject({ error: { reason: 'blob_rejected' } });
});

it('asks for a bounded number of blobs at once', () => {
  const client = new TestClient();
  const ids = Array.from({ length: 10 }, (_, index) =>
    client.keep(new TextEncoder().encode(JSON.stringify({ role: 'system', content: `${index}` }))),
  );
  const turn = new TestTurn({ limits: { blobsAsked: 3 } });
  turn.command(runRequest('x', undefined, { conversationState: { rootPromptMessagesJson: ids } }));
  expect(turn.state.restore.asked.size).toBe(3);
  turn.input({ type: 'activated' });
  client.answerAll(turn);
  expect(turn.take('model_call')[0]?.request.messages).toHaveLength(11);
});

it('takes blobs that came with the request', () => {
  const client = new TestClient();
  const value = new TextEncoder().encode(JSON.stringify({ role: 'system', content: 'x' }));
  const id = client.keep(value);
  const turn = new TestTurn();
  turn.command(
    runRequest('x', undefined, {
      conversationState: { rootPromptMessagesJson: [id, id] },
      preFetchedBlobs: [{ id, value }],
    }),
  );
  expect(turn.state.restore.missing).toBe(0);
  expect(turn.state.restore.asked.size).toBe(0);
});
