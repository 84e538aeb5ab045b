import { describe, expect, it } from 'vitest';
import type { ModelEvent } from '../../model/port.ts';
import { runRequest, TestClient } from '../../testing/test-client.ts';
import { TestTurn } from '../../testing/test-turn.ts';

const USAGE = {
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
const text = (value: string): ModelEvent => ({ type: 'text', text: value });
const STOP: ModelEvent = { type: 'finish', reason: 'stop', usage: USAGE, deployment: '' };

function begin() {
  const turn = new TestTurn();
  const client = new TestClient();
  turn.command(runRequest('hello'));
  turn.input({ type: 'activated' });
  return { turn, client };
}

function attemptItem(turn: TestTurn) {
  const item = turn.entries.flatMap(({ items }) => items).findLast(({ kind }) => kind === 'attempt');
  if (item?.kind !== 'attempt') throw new Error('no attempt item');
  return item;
}

function say(turn: TestTurn, ...events: ModelEvent[]): void {
  for (const event of events) turn.result({ type: 'model_event', call: turn.state.modelCalls, event });
}

describe('where a further attempt starts', () => {
  it('at the beginning when nothing is known to have arrived', () => {
    const { turn } = begin();
    turn.attempt(runRequest('hello'), 'r2');
    expect(attemptItem(turn)).toMatchObject({ kind: 'attempt', requestId: 'r2', start: undefined });
  });

  it('behind the frame whose request was answered', () => {
    const { turn, client } = begin();
    const asked = turn.frames().find(({ message }) => message.message.case === 'execServerMessage');
    client.answerAll(turn);
    // Blob writes came after, and were answered too: the newest counts.
    const writes = turn.frames().filter(({ message }) => message.message.case === 'kvServerMessage');
    turn.attempt(runRequest('hello'), 'r2');
    expect(attemptItem(turn).start).toEqual(writes.at(-1)?.at);
    expect(asked && writes[0] && asked.at.entry < writes[0].at.entry).toBe(true);
  });

  it('behind the checkpoint that came back', () => {
    const { turn, client } = begin();
    client.answerAll(turn);
    const sent = turn.frames().find(({ message }) => message.message.case === 'conversationCheckpointUpdate');
    say(turn, text('lost on the way'));
    turn.attempt(runRequest(undefined, client.checkpoint), 'r2');
    expect(attemptItem(turn).start).toEqual(sent?.at);
  });

  it('behind a clean end of a trusted response, and only of such', () => {
    const { turn, client } = begin();
    client.answerAll(turn);
    say(turn, text('a'), text('b'));
    const last = turn.frames().at(-1)?.at ?? { entry: 0, item: 0 };
    turn.input({ type: 'response_ended', requestId: 'r1', position: last, trusted: false });
    turn.attempt(runRequest('hello'), 'r2');
    expect(attemptItem(turn).start).not.toEqual(last);
    turn.input({ type: 'response_ended', requestId: 'r2', position: last, trusted: true });
    turn.attempt(runRequest('hello'), 'r3');
    expect(attemptItem(turn).start).toEqual(last);
  });

  it('before the end of a turn that is over, and then nothing else happens', () => {
    const { turn, client } = begin();
    client.answerAll(turn);
    say(turn, text('a'), STOP);
    client.answerAll(turn);
    const entries = turn.entries.length;
    turn.attempt(runRequest(undefined, client.checkpoint), 'r2');
    expect(turn.entries).toHaveLength(entries + 1);
    expect(turn.entries.at(-1)?.items).toHaveLength(1);
    const end = turn.entries.findIndex(({ items }) => items.some(({ kind }) => kind === 'end')) + 1;
    const item = turn.entries[end - 1]?.items.findIndex(({ kind }) => kind === 'end') ?? 0;
    const { start } = attemptItem(turn);
    expect(start && (start.entry < end || (start.entry === end && start.item < item))).toBe(true);
  });
});

describe('what a further attempt does', () => {
  it('runs nothing again, and gets a checkpoint with what was shown so far', () => {
    const { turn, client } = begin();
    client.answerAll(turn);
    turn.take('model_call');
    say(turn, text('Half '));
    client.read(turn);
    turn.attempt(runRequest(undefined, client.checkpoint), 'r2');
    expect(turn.take('model_call')).toEqual([]);
    const behind = attemptItem(turn).start;
    client.text = '';
    client.readFrom(behind);
    client.answerAll(turn);
    expect(client.transcript().at(-1)).toMatchObject({ content: [{ text: 'Half ' }] });
    say(turn, text('whole'), STOP);
    client.answerAll(turn);
    expect(client.text).toBe('Half whole');
    // The draft is gone from the final one.
    expect(client.transcript().slice(2)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'Half whole' }] },
    ]);
    expect(client.lastTurn().steps).toHaveLength(1);
    expect(client.turnsEnded).toHaveLength(1);
  });

  it('gets no checkpoint before it has the whole draft, though a former one was sent the same', () => {
    const { turn, client } = begin();
    client.answerAll(turn);
    say(turn, text('Half '));
    client.read(turn);
    for (const requestId of ['r2', 'r3']) {
      turn.attempt(runRequest(undefined, client.checkpoint), requestId);
      client.readFrom(attemptItem(turn).start);
      client.read(turn);
    }
    // The newest first, so the message after all that refers to it; the client checks every checkpoint that it reads.
    for (; client.answers.length > 0; client.read(turn)) client.give(turn, client.answers.length - 1);
    expect(client.transcript().at(-1)).toMatchObject({ content: [{ text: 'Half ' }] });
  });

  it('is asked again what the former one was asked and did not answer', () => {
    const { turn, client } = begin();
    client.read(turn);
    while (client.answers.length > 0) client.give(turn);
    client.read(turn);
    // Of the writes only the last is answered: the others stand before the place where the new reader starts.
    client.give(turn, client.answers.length - 1);
    const open = turn.state.pendingWrites.size;
    expect(open).toBeGreaterThan(1);
    turn.take('set_timer');
    turn.attempt(runRequest('hello'), 'r2');
    // Its time to answer begins now.
    expect(turn.take('set_timer')).toMatchObject([{ name: 'blobs' }]);
    client.readFrom(attemptItem(turn).start);
    client.answerAll(turn);
    expect(turn.state.pendingWrites.size).toBe(0);
    expect(client.checkpoint).toBeDefined();
  });
});
