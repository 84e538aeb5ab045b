import { create, toBinary } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { viewEntry } from './entry-view.ts';

const kinds: fc.Arbitrary<tandem.Item['kind']> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((value) => ({ case: 'frame' as const, value })),
  fc.constant({ case: 'ended' as const, value: create(tandem.EndedSchema, { consumedSequence: 7n }) }),
  fc.constant({ case: 'opened' as const, value: create(tandem.OpenedSchema, { requestId: 'r' }) }),
  fc.constant({ case: undefined, value: undefined }),
);

it('sees what the full decoder sees', () => {
  const numbers = fc.bigInt({ min: 0n, max: 2n ** 53n - 1n });
  fc.assert(
    fc.property(numbers, numbers, fc.array(kinds, { maxLength: 20 }), (generation, number, all) => {
      const items = all.map((kind) => create(tandem.ItemSchema, { kind }));
      const entry = create(tandem.EntrySchema, {
        generation,
        number,
        epoch: 3n,
        atMs: 1_700_000_000_000n,
        items,
      });
      expect(viewEntry(toBinary(tandem.EntrySchema, entry))).toEqual({
        generation: Number(generation),
        number: Number(number),
        at: 1_700_000_000_000,
        items: all.map((kind) =>
          kind.case === 'frame' ? kind.value : kind.case === 'ended' ? 'ended' : 'other',
        ),
      });
    }),
  );
});

it('refuses bytes that are no entry', () => {
  for (const bytes of [[0xff], [0x2a, 5, 1], [0x0b], new Array(20).fill(0xff)]) {
    expect(() => viewEntry(Uint8Array.from(bytes))).toThrow('journal entry');
  }
});
