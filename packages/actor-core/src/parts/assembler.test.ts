import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { higherEpochVoids, journalSet } from '../journal/entry.ts';
import type { LogRecord } from '../ports/log.ts';
import { Assembler, AssemblyOverflow, splitMessage } from './assembler.ts';

function record(sequence: number, set: string, index = 0, count = 1, payload = 'x', time = 0): LogRecord {
  return {
    sequence,
    previous: sequence - 1,
    time,
    part: { set, index, count },
    payload: Buffer.from(payload),
  };
}

test('a message of one record is passed on, repeated or not', () => {
  const assembler = new Assembler();
  expect(assembler.push(record(5, 'a'))).toMatchObject({
    sequence: 5,
    firstSequence: 5,
    previous: 4,
    set: 'a',
  });
  expect(assembler.push(record(6, 'a'))).toMatchObject({ sequence: 6 });
});

test('a message is there with its last part, and names where it began', () => {
  const assembler = new Assembler();
  expect(assembler.push(record(5, 'a', 0, 2, 'le'))).toBeUndefined();
  expect(assembler.lowestOpenSequence()).toBe(5);
  expect(assembler.push(record(6, 'b', 0, 2))).toBeUndefined();
  const message = assembler.push(record(9, 'a', 1, 2, 'ft'));
  expect(message).toMatchObject({ sequence: 9, firstSequence: 5, previous: 4 });
  expect(Buffer.from(message?.payload ?? []).toString()).toBe('left');
  expect(assembler.lowestOpenSequence()).toBe(6);
});

test('a late retry of a part does not open its set again', () => {
  const assembler = new Assembler();
  assembler.push(record(1, 'a', 0, 2));
  assembler.push(record(2, 'a', 1, 2));
  expect(assembler.push(record(3, 'a', 1, 2))).toBeUndefined();
  expect(assembler.lowestOpenSequence()).toBeUndefined();
});

describe('void sets', () => {
  it('are those of older owners, where a journal says so', () => {
    const assembler = new Assembler({ voids: higherEpochVoids });
    assembler.push(record(1, journalSet(9, 4), 0, 2));
    expect(assembler.push(record(2, journalSet(10, 1)))).toMatchObject({ sequence: 2 });
    expect(assembler.lowestOpenSequence()).toBeUndefined();
  });

  it('are not those of the same owner', () => {
    const assembler = new Assembler({ voids: higherEpochVoids });
    assembler.push(record(1, journalSet(10, 4), 0, 2));
    assembler.push(record(2, journalSet(10, 5)));
    expect(assembler.lowestOpenSequence()).toBe(1);
  });

  it('are those whose writer gave up', () => {
    const assembler = new Assembler({ abandonAfterMs: 100 });
    assembler.push(record(1, 'a', 0, 3, 'x', 1000));
    assembler.push(record(2, 'a', 1, 3, 'x', 1100));
    assembler.push(record(3, 'b', 0, 1, 'x', 1200));
    expect(assembler.lowestOpenSequence()).toBe(1);
    assembler.push(record(4, 'b', 0, 1, 'x', 1201));
    expect(assembler.lowestOpenSequence()).toBeUndefined();
  });
});

test('incomplete messages hold a bounded number of bytes', () => {
  const assembler = new Assembler({ maxOpenBytes: 10 });
  assembler.push(record(1, 'a', 0, 2, '123456'));
  expect(assembler.push(record(2, 'a', 1, 2, '7890'))).toMatchObject({ sequence: 2 });
  assembler.push(record(3, 'b', 0, 2, '123456'));
  expect(() => assembler.push(record(4, 'c', 0, 2, '12345'))).toThrow(AssemblyOverflow);
});

const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 8 });

/** Interleaves sets part by part as the choices say, repeating some parts at once or much later. */
function interleave(
  payloads: Uint8Array[],
  limit: number,
  choices: number[],
): { set: string; index: number; count: number; payload: Uint8Array }[] {
  const sets = payloads.map((payload, number) => {
    const pieces = splitMessage(payload, limit);
    return pieces.map((piece, index) => ({ set: `s${number}`, index, count: pieces.length, payload: piece }));
  });
  const sent: ReturnType<typeof interleave> = [];
  let turn = 0;
  for (
    let open = sets.filter((set) => set.length > 0);
    open.length > 0;
    open = open.filter((set) => set.length > 0)
  ) {
    const choice = choices[turn++ % choices.length] ?? 0;
    const repeated = sent[choice % Math.max(1, sent.length)];
    if (choice % 3 === 0 && repeated && repeated.count > 1) sent.push(repeated);
    const next = open[choice % open.length]?.shift();
    if (next) sent.push(next);
  }
  return sent;
}

test('every message comes once, whole, when its last part does, however sets interleave and parts repeat', () => {
  fc.assert(
    fc.property(
      messages,
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.nat(), { minLength: 1 }),
      (payloads, limit, choices) => {
        const assembler = new Assembler();
        const got = new Map<string, string>();
        for (const [at, { payload, ...part }] of interleave(payloads, limit, choices).entries()) {
          const message = assembler.push({ sequence: at + 1, previous: at, time: 0, part, payload });
          if (!message) continue;
          expect(got.has(message.set)).toBe(false);
          got.set(message.set, Buffer.from(message.payload).toString('hex'));
        }
        expect(assembler.lowestOpenSequence()).toBeUndefined();
        const wanted = payloads.map((payload, number): [string, string] => [
          `s${number}`,
          Buffer.from(payload).toString('hex'),
        ]);
        expect(new Map([...got].sort())).toEqual(new Map(wanted.sort()));
      },
    ),
  );
});

test('a reader that starts at the lowest open sequence misses no message', () => {
  fc.assert(
    fc.property(messages, fc.array(fc.nat(), { minLength: 1 }), fc.nat(), (payloads, choices, cut) => {
      const records = interleave(payloads, 5, choices).map(
        ({ payload, ...part }, at): LogRecord => ({ sequence: at + 1, previous: at, time: 0, part, payload }),
      );
      const first = new Assembler();
      const stop = cut % (records.length + 1);
      const before = records.slice(0, stop).flatMap((record) => first.push(record)?.set ?? []);
      const start = first.lowestOpenSequence() ?? stop + 1;
      const second = new Assembler();
      const after = records.slice(start - 1).flatMap((record) => second.push(record)?.set ?? []);
      expect(new Set([...before, ...after])).toEqual(new Set(payloads.map((_, number) => `s${number}`)));
    }),
  );
});
