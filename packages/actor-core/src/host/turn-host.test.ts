import { expect, test } from 'vitest';
import { TURN_LIMITS } from '../actor/limits.ts';
import type { DispatchQueue, JobOutcome } from '../ports/dispatch.ts';
import type { TurnKey } from '../subject/turn-key.ts';
import { seededEntropy } from '../testing/seeded-entropy.ts';
import { toyLogic, toyRunner } from '../testing/toy-turn.ts';
import { turnHarness } from '../testing/turn-harness.ts';
import { TurnHost } from './turn-host.ts';

test('a job that comes back to the process that still runs its turn waits for that, and does not depose it', async () => {
  const t = turnHarness();
  let handle: (key: TurnKey) => Promise<JobOutcome> = () => Promise.reject(new Error('not started'));
  const queue: DispatchQueue = {
    start: async (handler) => {
      handle = handler;
    },
    pause: async () => {},
    close: async () => {},
  };
  const host = new TurnHost({
    log: t.log,
    signals: t.signals,
    leases: t.leases,
    retention: { schedule: async () => {} },
    clock: t.clock,
    entropy: seededEntropy(2),
    logic: toyLogic,
    runner: toyRunner(),
    limits: TURN_LIMITS,
    observer: {},
    workerId: 'w1',
    queue,
  });
  await host.start();
  await t.append('r1', 0, 20);
  const outcomes = Promise.all([handle(t.key), handle(t.key)]);
  await t.clock.advance(5_000);
  await t.append('r1', 1, 999);
  await t.clock.advance(5_000);
  expect(await outcomes).toEqual(['done', 'done']);
  expect((await t.story()).filter((line) => line.startsWith('owner'))).toEqual(['owner w1 0']);
});
