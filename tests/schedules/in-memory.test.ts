import {
  MemoryDispatch,
  MemoryLeases,
  MemoryLog,
  MemoryRetention,
  MemorySignals,
} from '@tandem/actor-core/memory';
import { seededEntropy, VirtualClock } from '@tandem/actor-core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { everything, play, startEchoWorker } from './play.ts';
import { schedules } from './schedule.ts';

test('inbox and reader: 1,000 schedules of appends and readers, in memory', {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(schedules, async (schedule) => {
      const clock = new VirtualClock();
      const entropy = seededEntropy(1);
      const log = new MemoryLog({ clock });
      const signals = new MemorySignals({ clock });
      const dispatcher = new MemoryDispatch({ clock });
      const ports = { log, signals, dispatcher, clock, entropy };
      await startEchoWorker({
        ...ports,
        leases: new MemoryLeases({ clock }),
        retention: new MemoryRetention({ clock, log }),
        queue: dispatcher.queue(),
      });
      let shown: string[][] | undefined;
      void play(schedule, [ports, ports], 'alice', 'r1').then((all) => {
        shown = all;
      });
      await clock.advanceUntil(() => shown !== undefined, 60_000);
      for (const one of shown ?? []) expect(one).toEqual(everything(schedule));
    }),
    { numRuns: 1_000, seed: 1 },
  );
});
