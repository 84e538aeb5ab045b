import { presenceSubject, readPresence } from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';
import { describe, expect, it } from 'vitest';
import { KEY, setUp } from '../testing/reader-fixture.ts';

describe('where a reader starts', () => {
  it('opened before the turn, it gets everything as it is stored', async () => {
    const { clock, actor, read } = setUp();
    const { reader, sink } = read();
    await clock.advance(500);
    await actor.open('r1');
    await actor.texts('a', 'b');
    await clock.advance(1);
    expect(sink.texts).toEqual(['a', 'b']);
    await actor.texts('c');
    await actor.end();
    await clock.advance(1000);
    expect(sink.texts).toEqual(['a', 'b', 'c']);
    expect(sink.endStream).toEqual({ details: [], metadata: {} });
    expect(sink.ended).toBe(true);
    expect(await reader.done).toBe('completed');
    expect((await actor.commands()).map(({ case: kind }) => kind)).toEqual(['responseEnded']);
  });

  it('opened later, it gets the backlog from the start, in any number of readers', async () => {
    const { clock, actor, read } = setUp();
    await actor.open('r1');
    await actor.texts('a', 'x'.repeat(10_000));
    const first = read();
    await clock.advance(500);
    await actor.texts('b');
    const second = read();
    await clock.advance(500);
    await actor.end();
    await clock.advance(1000);
    for (const { sink } of [first, second]) {
      expect(sink.texts).toEqual(['a', 'x'.repeat(10_000), 'b']);
      expect(sink.endStream).toBeDefined();
    }
  });

  it('skips frames that the client says it has', async () => {
    const { clock, actor, read } = setUp();
    await actor.open('r1');
    await actor.texts('a', 'b', 'c');
    const { sink } = read({ received: 2 });
    await clock.advance(500);
    await actor.texts('d');
    await clock.advance(1);
    expect(sink.texts).toEqual(['c', 'd']);
  });

  it('a later attempt does not get what is withheld from it, an earlier one does', async () => {
    const { clock, actor, read } = setUp();
    await actor.open('r1');
    await actor.texts('a', 'b', 'c');
    await actor.texts('d', 'e');
    const first = read();
    const withheld = [
      { entry: 2, item: 0 },
      { entry: 2, item: 2 },
      { entry: 3, item: 1 },
    ];
    await actor.attempt('r2', { entry: 2, item: 0 }, withheld);
    const second = read({ requestId: 'r2' });
    const third = read({ requestId: 'r2', received: 1 });
    await actor.texts('f');
    await clock.advance(500);
    expect(first.sink.texts).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(second.sink.texts).toEqual(['b', 'd', 'f']);
    expect(third.sink.texts).toEqual(['d', 'f']);
  });

  it('a later attempt waits for its item, then gets what is behind its place', async () => {
    const { clock, actor, read } = setUp();
    await actor.open('r1');
    await actor.texts('a', 'b');
    await actor.texts('c');
    const { sink } = read({ requestId: 'r2' });
    await clock.advance(500);
    expect(sink.texts).toEqual([]);
    await actor.attempt('r2', { entry: 2, item: 0 });
    await actor.texts('d');
    await clock.advance(500);
    expect(sink.texts).toEqual(['b', 'c', 'd']);
  });

  it('an attempt at an ended turn gets the rest and the EndStream, whatever its start', async () => {
    const { clock, actor, read } = setUp();
    await actor.open('r1');
    await actor.texts('a');
    await actor.end(new TandemError('model_not_found'));
    const { sink } = read({ requestId: 'r2' });
    await clock.advance(500);
    await actor.attempt('r2', { entry: 9, item: 9 });
    await clock.advance(500);
    expect(sink.texts).toEqual([]);
    expect(sink.endStream?.code).toBe('not_found');
  });

  it('an ended generation is given until a reader was sent its EndStream, then the next is waited for', async () => {
    const { clock, actor, read } = setUp();
    await actor.open('r1', 1);
    await actor.texts('one');
    await actor.end();
    const first = read();
    await clock.advance(1000);
    expect(first.sink.texts).toEqual(['one']);
    const second = read();
    await clock.advance(1000);
    expect(second.sink.endStream).toBeUndefined();
    await actor.open('r1', 7);
    await actor.texts('two');
    await clock.advance(1);
    expect(second.sink.texts).toEqual(['two']);
  });

  it('a client that closed before the end gets the ended generation again', async () => {
    const { clock, actor, read } = setUp();
    const first = read();
    await clock.advance(10);
    await actor.open('r1');
    await actor.texts('one');
    await clock.advance(10);
    first.reader.clientClosed();
    await actor.end();
    const second = read();
    await clock.advance(1000);
    expect(second.sink.texts).toEqual(['one']);
    expect(second.sink.endStream).toBeDefined();
  });
});

describe('how it ends', () => {
  it('a closed socket is told to the actor', async () => {
    const { clock, actor, read, ends } = setUp();
    const { reader } = read();
    await clock.advance(10);
    reader.clientClosed();
    await clock.advance(10);
    expect(ends).toEqual(['closed']);
    expect(await actor.commands()).toMatchObject([{ case: 'readerClosed', value: { requestId: 'r1' } }]);
  });

  it('drained, it ends between frames with a notice of the last one, trusted when the client is known to have it', async () => {
    const { clock, actor, read, ends } = setUp();
    const { reader, sink } = read();
    await clock.advance(10);
    await actor.open('r1');
    await actor.texts('a', 'b');
    await clock.advance(10);
    await reader.drain();
    await actor.texts('c');
    await clock.advance(10);
    expect(sink).toMatchObject({ texts: ['a', 'b'], ended: true, endStream: undefined });
    expect(ends).toEqual(['drained']);
    expect(await actor.commands()).toMatchObject([
      {
        case: 'responseEnded',
        value: { generation: 1n, position: { entry: 2n, item: 1 }, endStream: false, trusted: true },
      },
    ]);
  });

  it('a missing entry is an error, not a gap', async () => {
    const { clock, actor, read } = setUp();
    const { sink } = read();
    await clock.advance(10);
    await actor.open('r1');
    await actor.write([], 5);
    await clock.advance(3000);
    expect(sink.endStream).toMatchObject({ code: 'data_loss' });
  });

  it('presence is announced at once, every 5 s, and when the gateway leaves', async () => {
    const { clock, signals, read } = setUp();
    const seen: boolean[] = [];
    signals.subscribe(presenceSubject(KEY), (payload) => void seen.push(readPresence(payload).leaving));
    const { reader } = read();
    await clock.advance(10_500);
    expect(seen).toEqual([false, false, false]);
    await reader.drain();
    await clock.advance(1);
    expect(seen.at(-1)).toBe(true);
  });
});
