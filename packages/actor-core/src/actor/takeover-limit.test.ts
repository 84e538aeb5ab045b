import { expect, test } from 'vitest';
import { turnHarness } from '../testing/turn-harness.ts';

const SECOND = 1000;

test('a turn that waits while every worker is drained, again and again, is not given up', async () => {
  const t = turnHarness();
  await t.append('r1', 0, 20);
  let worker = await t.worker('w0');
  await t.clock.advance(SECOND);
  for (let i = 1; i <= 12; i += 1) {
    const next = await t.worker(`w${i}`);
    const drained = worker.host.drain(0);
    t.present('a');
    await t.clock.advance(2 * SECOND);
    await drained;
    worker.kill();
    worker = next;
  }
  expect(worker.host.turns).toBe(1);
  await t.append('r1', 1, 999);
  await t.clock.advance(SECOND);
  expect((await t.shown()).slice(-2)).toEqual(['bye', 'EndStream']);
});

test('a turn that kills its workers is given up though one of them was drained', async () => {
  const t = turnHarness();
  await t.append('r1', 0, 20);
  for (let i = 0; i < 10; i += 1) {
    const worker = await t.worker(`w${i}`);
    t.present('a');
    await t.clock.advance(10 * SECOND);
    if (i === 3) {
      const drained = worker.host.drain(0);
      await t.clock.advance(SECOND);
      await drained;
    }
    worker.kill();
  }
  expect((await t.story()).slice(-2)).toEqual(['EndStream', 'ended FAILED takeover_limit']);
});
