import { presenceSubject, readPresence } from '@tandem/actor-core';
import { expect, it } from 'vitest';
import { KEY, setUp } from '../testing/reader-fixture.ts';

it('is announced to an actor that began after it, and to one that takes over, but not at each pulse', async () => {
  const { clock, actor, signals, read } = setUp();
  const { reader } = read();
  await clock.advance(100);
  const heard: string[] = [];
  signals.subscribe(presenceSubject(KEY), (payload) => void heard.push(readPresence(payload).requestId));
  await actor.open('r1');
  actor.pulse();
  await clock.advance(10);
  expect(heard).toEqual(['r1']);
  for (let seconds = 0; seconds < 4; seconds += 2) {
    await clock.advance(2000);
    actor.pulse();
  }
  expect(heard).toEqual(['r1']);
  await clock.advance(3500);
  const before = heard.length;
  actor.pulse();
  await clock.advance(10);
  expect(heard).toHaveLength(before + 1);
  reader.clientClosed();
});
