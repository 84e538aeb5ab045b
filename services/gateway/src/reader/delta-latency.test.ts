import { expect, it } from 'vitest';
import { setUp } from '../testing/reader-fixture.ts';

it('tells how long live entries were on their way, and leaves out those that were stored before', async () => {
  const { clock, actor, read, latencies } = setUp();
  await actor.open('r1');
  await actor.texts('stored');
  await clock.advance(5000);
  const { sink } = read();
  await clock.advance(500);
  expect(sink.texts).toEqual(['stored']);
  expect(latencies).toEqual([]);
  await actor.texts('live');
  await clock.advance(1);
  expect(latencies).toEqual([0]);
});

it('leaves out what a client was not ready for', async () => {
  const { clock, actor, read, latencies } = setUp();
  const { sink } = read();
  await clock.advance(500);
  await actor.open('r1');
  await actor.texts('a');
  await clock.advance(1);
  expect(latencies).toEqual([0]);
  sink.block();
  await actor.texts('b');
  await clock.advance(1);
  await actor.texts('c');
  await clock.advance(3000);
  sink.unblock();
  await clock.advance(1);
  expect(sink.texts).toEqual(['a', 'b', 'c']);
  expect(latencies).toEqual([0, 0]);
  await actor.texts('d');
  await clock.advance(1);
  expect(latencies).toHaveLength(3);
});
