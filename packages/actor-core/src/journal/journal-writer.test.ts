import { create } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';
import { expect, test } from 'vitest';
import { MemoryLog } from '../memory/index.ts';
import { seededEntropy } from '../testing/seeded-entropy.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { viewJournal } from './journal-view.ts';
import { Deposed, type JournalPlace, JournalWriter } from './journal-writer.ts';
import { readThrough } from './read-through.ts';

const SUBJECT = 'evt.0.owner.turn';

function ownerItem(workerId: string): tandem.Item {
  return create(tandem.ItemSchema, { kind: { case: 'owner', value: { workerId, takeovers: 0 } } });
}

const entropy = seededEntropy(1);

function placeOf(writerId: string, lastSequence: number): JournalPlace {
  return { generation: 1, epoch: 1, writerId, lastSequence, lastNumber: 0, mayBePurged: false };
}

test('of two writers that acquire the same epoch at once, one is deposed', async () => {
  const clock = new VirtualClock();
  const log = new MemoryLog({ clock });
  const faults: unknown[] = [];
  for (const workerId of ['a', 'b']) {
    const writer = new JournalWriter({ log, clock, entropy }, SUBJECT, placeOf(entropy.id(), 0), (error) =>
      faults.push(error),
    );
    writer.push([ownerItem(workerId)], 0);
  }
  await clock.advance(1000);
  expect(faults).toEqual([expect.any(Deposed)]);
  expect((await log.read(SUBJECT, 0, 10)).length).toBe(1);
});

test('a writer whose generation was ended by another and purged writes nothing behind it', async () => {
  const clock = new VirtualClock();
  const log = new MemoryLog({ clock });
  const faults: unknown[] = [];
  const { sequence } = await log.append(SUBJECT, { set: '1.1.a', index: 0, count: 1 }, new Uint8Array(10));
  const writer = new JournalWriter({ log, clock, entropy }, SUBJECT, placeOf('a', sequence), (error) =>
    faults.push(error),
  );
  writer.push([ownerItem('a')], 0);
  await clock.advance(1000);
  const { sequence: terminal } = await log.append(
    SUBJECT,
    { set: '2.2.b', index: 0, count: 1 },
    new Uint8Array(10),
  );
  await log.purge(SUBJECT, terminal);
  writer.push([ownerItem('a')], 0);
  await clock.advance(1000);
  expect(faults).toEqual([expect.any(Deposed)]);
  expect(await log.last(SUBJECT)).toBeUndefined();
});

test('a writer that has nothing to write learns of its successor when it asks', async () => {
  const clock = new VirtualClock();
  const log = new MemoryLog({ clock });
  const faults: unknown[] = [];
  const writer = new JournalWriter({ log, clock, entropy }, SUBJECT, placeOf('a', 0), (error) =>
    faults.push(error),
  );
  writer.push([ownerItem('a')], 0);
  await clock.advance(1000);
  await writer.verify();
  expect(faults).toEqual([]);
  await log.append(SUBJECT, { set: '2.2.b', index: 0, count: 1 }, new Uint8Array(10));
  await writer.verify();
  expect(faults).toEqual([expect.any(Deposed)]);
});

test('an epoch counts as acquired as soon as a part of its first entry is stored', async () => {
  const clock = new VirtualClock();
  const log = new MemoryLog({ clock });
  await log.append(SUBJECT, { set: '7.1.x', index: 0, count: 2 }, new Uint8Array(10));
  const { messages, last } = await readThrough({ log, clock, entropy }, SUBJECT, 0, 1000);
  expect(viewJournal(messages, last)).toMatchObject({ lastEpoch: 7, lastSequence: 1, generation: 0 });
});
