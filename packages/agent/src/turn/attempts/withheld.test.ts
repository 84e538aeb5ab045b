import { describe, expect, it } from 'vitest';
import { runRequest } from '../../testing/test-client.ts';
import { call, content, finish, startToolTurn, WRITTEN } from '../../testing/tool-play.ts';

const WRITE = call('w1', 'write_file', { path: 'a', content: 'new' });
const READ = call('r1', 'read_file', { path: 'b' });

function attemptItem(turn: ReturnType<typeof startToolTurn>['turn']) {
  const item = turn.entries.flatMap(({ items }) => items).findLast(({ kind }) => kind === 'attempt');
  if (item?.kind !== 'attempt') throw new Error('no attempt item');
  return item;
}

/** An answer with a write and a read; the write has been asked of the client, behind everything it is known to have. */
function writing() {
  const played = startToolTurn();
  const { turn, client, say, answer } = played;
  say(...WRITE, ...READ, finish('tool_calls'));
  // A write reads first, to show what it changed.
  const before = client.execs.find(({ execId }) => execId === 'w1');
  answer(before?.id ?? -1, content('old'));
  const write = client.execs.find(({ message }) => message.case === 'writeArgs');
  const frame = turn
    .frames()
    .find(
      ({ message: { message } }) => message.case === 'execServerMessage' && message.value.id === write?.id,
    );
  return { ...played, write, at: frame?.at };
}

function reconnect({ turn, client }: ReturnType<typeof startToolTurn>, requestId: string) {
  client.execs = [];
  turn.attempt(runRequest('hello'), requestId);
  const { start, withheld } = attemptItem(turn);
  client.readFrom(start, withheld);
  client.read(turn);
}

describe('a further attempt while the client is asked to do something', () => {
  it('is not asked what may have been done, and the model is told to check', () => {
    const played = writing();
    const { turn, client, write, at } = played;
    expect(write).toBeDefined();
    reconnect(played, 'r2');
    expect(attemptItem(turn).withheld).toEqual([at]);
    expect(client.execs.map(({ message }) => message.case)).toEqual(['readArgs']);
    played.answer(client.execs[0]?.id ?? -1, content('B'));
    expect(turn.take('model_call').at(-1)?.request.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: [
        {
          toolCallId: 'w1',
          output: { type: 'error-text', value: expect.stringContaining('outcome unknown') },
        },
        { toolCallId: 'r1', output: { value: '     1|B' } },
      ],
    });
  });

  it('takes no answer of the earlier attempt for a call that was given up', () => {
    const played = writing();
    const { turn, write } = played;
    reconnect(played, 'r2');
    turn.command({ case: 'execClientMessage', value: { id: write?.id ?? -1, message: WRITTEN } }, 'r1');
    played.answer(played.client.execs[0]?.id ?? -1, content('B'));
    expect(turn.take('model_call').at(-1)?.request.messages.at(-1)).toMatchObject({
      content: [{ output: { type: 'error-text' } }, { output: { type: 'text' } }],
    });
  });

  it('withholds it from every later attempt as well', () => {
    const played = writing();
    reconnect(played, 'r2');
    reconnect(played, 'r3');
    expect(attemptItem(played.turn).withheld).toEqual([played.at]);
  });

  it('forgets what the client is known to have got', () => {
    const played = writing();
    const { turn, write } = played;
    played.answer(write?.id ?? -1, WRITTEN);
    turn.attempt(runRequest('hello'), 'r2');
    expect(attemptItem(turn).withheld).toEqual([]);
    expect(turn.state.sentRequests.length).toBeLessThan(3);
  });

  it('is not asked what ran out of time', () => {
    const played = writing();
    const { turn, write, at } = played;
    turn.expire(`exec:${write?.id}`);
    reconnect(played, 'r2');
    expect(attemptItem(turn).withheld).toEqual([at]);
    expect(played.client.execs.map(({ message }) => message.case)).toEqual(['readArgs']);
  });

  it('is asked nothing at all when the turn is over', () => {
    const played = writing();
    const { turn, at } = played;
    turn.command({ case: 'conversationAction', value: { action: { case: 'cancelAction', value: {} } } });
    turn.expire('ending');
    expect(turn.end).toBeDefined();
    turn.attempt(runRequest('hello'), 'r2');
    expect(attemptItem(turn).withheld).toContainEqual(at);
  });

  it('knows the same after a takeover', () => {
    const played = writing();
    played.turn.takeOver();
    reconnect(played, 'r2');
    expect(attemptItem(played.turn).withheld).toEqual([played.at]);
  });
});
