import { create } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';
import { expect, test } from 'vitest';
import { MemoryLog, seededEntropy, VirtualClock } from '../memory/index.ts';
import { Deposed } from './deposed.ts';
import { viewJournal } from './journal-view.ts';
import { JournalWriter } from './journal-writer.ts';
import { readThrough } from './read-through.ts';

const SUBJECT = 'evt.0.owner.turn';

function ownerItem(workerId: string): tandem.Item {
  return create(tandem.ItemSchema, { kind: { case: 'owner', value: { workerId, takeovers: 0 } } });
}

test('of two writers that claim the same epoch at once, one is deposed', async () => {
  const clock = new VirtualClock();
  const log = new MemoryLog({ clock });
  const entropy = seededEntropy(1);
  const faults: unknown[] = [];
  for (const workerId of ['a', 'b']) {
    const place = { generation: 1, epoch: 1, claim: entropy.id(), lastSequence: 0, lastNumber: 0 };
    const writer = new JournalWriter({ log, clock }, SUBJECT, place, (error) => faults.push(error));
    writer.push([ownerItem(workerId)], 0);
  }
  await clock.advance(1000);
  expect(faults).toEqual([expect.any(Deposed)]);
  expect((await log.read(SUBJECT, 0, 10)).length).toBe(1);
});

test('an epoch counts as claimed as soon as a part of its first entry is stored', async () => {
  const clock = new VirtualClock();
  const log = new MemoryLog({ clock });
  await log.append(SUBJECT, { set: '7.1.x', index: 0, count: 2 }, new Uint8Array(10));
  const { messages, last } = await readThrough({ log, clock }, SUBJECT, 0, 1000);
  expect(viewJournal(messages, last)).toMatchObject({ lastEpoch: 7, lastSequence: 1, generation: 0 });
});
