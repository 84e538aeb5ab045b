import { LogConflict, LogFull, LogUnavailable } from '@tandem/actor-core';
import { expect, test } from 'vitest';
import { storedSequence } from './publish-answer.ts';
import { decodePart, encodePart } from './record.ts';

function answer(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function failure(err_code: number): Uint8Array {
  return answer({ stream: 'S', seq: 0, error: { code: 400, err_code, description: 'why' } });
}

test('a stored publish has a sequence', () => {
  expect(storedSequence(answer({ stream: 'S', seq: 12 }))).toBe(12);
});

test.each([
  [10071, LogConflict],
  [10164, LogConflict],
  [10077, LogFull],
  [10047, LogFull],
  [10023, LogFull],
  [10008, LogUnavailable],
])('error %i is a %o', (code, type) => {
  expect(() => storedSequence(failure(code))).toThrow(type);
});

test.each([{ seq: 12, duplicate: true }, { seq: 0 }, {}])('%o was not stored', (value) => {
  expect(() => storedSequence(answer(value))).toThrow(LogUnavailable);
});

test('what is no answer says nothing', () => {
  expect(() => storedSequence(Buffer.from('?'))).toThrow(LogUnavailable);
});

test('a part is the same after its journey', () => {
  const part = { set: '12.345', index: 2, count: 7 };
  expect(decodePart(encodePart(part), 1)).toEqual(part);
});

test.each([undefined, '', 'a', 'a 1', 'a x y', 'a 2 2', 'a -1 2'])(
  '%o stands for a whole message',
  (header) => {
    expect(decodePart(header, 9)).toEqual({ set: '?9', index: 0, count: 1 });
  },
);
