import { describe, expect, it } from 'vitest';
import { setUp } from '../testing/reader-fixture.ts';

describe('silence', () => {
  it('heartbeats while pulses come', async () => {
    const { clock, actor, read } = setUp();
    const { sink } = read();
    await clock.advance(10);
    await actor.open('r1');
    for (let second = 0; second < 200; second += 2) {
      actor.pulse();
      await clock.advance(2000);
    }
    expect(sink.heartbeats).toBeGreaterThanOrEqual(33);
    expect(sink.ended).toBe(false);
  });

  it('without pulses it dispatches, and after 30 s ends with a retryable error', async () => {
    const { clock, dispatcher, actor, read } = setUp();
    const { sink } = read();
    await clock.advance(10);
    await actor.open('r1');
    await clock.advance(4000);
    expect(dispatcher.dispatched).toBe(1);
    await clock.advance(32_000);
    expect(sink.endStream).toMatchObject({ code: 'unavailable' });
    expect(dispatcher.dispatched).toBeLessThan(8);
  });

  it('a place in the queue is life, for a while', async () => {
    const { clock, actor, read } = setUp('waiting');
    const { sink } = read();
    await clock.advance(10);
    await actor.open('r1');
    await clock.advance(200_000);
    expect(sink.ended).toBe(false);
    await clock.advance(200_000);
    expect(sink.endStream).toMatchObject({ code: 'unavailable' });
  });

  it('a request that never comes is not found after 120 s', async () => {
    const { clock, dispatcher, read } = setUp();
    const { sink } = read();
    await clock.advance(119_000);
    expect(sink.heartbeats).toBeGreaterThan(15);
    expect(sink.ended).toBe(false);
    await clock.advance(3000);
    expect(sink.endStream).toMatchObject({ code: 'not_found' });
    expect(dispatcher.dispatched).toBe(0);
  });

  it('a pulse that is ahead has the log read', async () => {
    const { clock, actor, read } = setUp();
    const { sink } = read();
    await clock.advance(10);
    await actor.open('r1');
    await actor.texts('a');
    actor.pulse();
    await clock.advance(10);
    expect(sink.texts).toEqual(['a']);
  });
});

describe('a slow client', () => {
  it('is sent nothing more until there is room, then everything', async () => {
    const { clock, actor, read } = setUp();
    const { sink } = read();
    await clock.advance(10);
    await actor.open('r1');
    sink.block();
    for (let index = 0; index < 500; index += 1) await actor.texts(`${index}`.padEnd(1000));
    await clock.advance(10_000);
    expect(sink.texts).toHaveLength(1);
    expect(sink.heartbeats).toBe(0);
    sink.unblock();
    await clock.advance(10_000);
    expect(sink.texts.map((text) => Number(text))).toEqual(Array.from({ length: 500 }, (_, index) => index));
  });

  it('is dropped when it takes nothing for minutes', async () => {
    const { clock, actor, read, ends } = setUp();
    const { sink } = read();
    await clock.advance(10);
    await actor.open('r1');
    sink.block();
    await actor.texts('a');
    await clock.advance(302_000);
    expect(sink.destroyed).toBe(true);
    expect(ends).toEqual(['stuck']);
  });
});

describe('compression', () => {
  it('gzips large frames where the client takes it', async () => {
    const { clock, actor, read } = setUp();
    const plain = read();
    const gzip = read({ acceptsGzip: true });
    await clock.advance(10);
    await actor.open('r1');
    const large = ['small', 'x'.repeat(2000), 'y'.repeat(100_000)];
    await actor.texts(...large);
    await clock.advance(100);
    await clock.advance(100);
    expect(plain.sink.texts).toEqual(large);
    expect(plain.sink.flags).toEqual([0, 0, 0]);
    await expect.poll(() => gzip.sink.texts).toEqual(large);
    expect(gzip.sink.flags).toEqual([0, 1, 1]);
  });
});
