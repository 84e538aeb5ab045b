import { create } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';
import { expect, test } from 'vitest';
import { endItems } from '../journal/entry.ts';
import { toyLogic } from '../testing/toy-turn.ts';
import { foldHistory } from './fold.ts';

test('a history that has ended says so to the logic: it is to answer late attempts, and nothing else', () => {
  const facts = {
    ownerId: 'alice',
    generation: 1,
    requestId: 'r1',
    info: create(tandem.RequestInfoSchema, {}),
  };
  const items = endItems('completed', undefined, { consumedSequence: 1, scanSequence: 1 });
  const entry = create(tandem.EntrySchema, { generation: 1n, epoch: 1n, number: 1n, items });
  const fold = (entries: tandem.Entry[]) =>
    foldHistory(
      toyLogic,
      facts,
      entries.map((one) => ({ sequence: 1, entry: one })),
      () => undefined,
    ).state;
  expect(fold([]).ended).toBe(false);
  expect(fold([entry]).ended).toBe(true);
});
