import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeHex, encodeHex, type HexError } from './hex.ts';

test('any bytes survive a round trip, in either case', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const hex = encodeHex(bytes);

      expect(hex).toMatch(/^([0-9a-f]{2})*$/);
      expect(decodeHex(hex)).toEqual(bytes);
      expect(decodeHex(hex.toUpperCase())).toEqual(bytes);
    }),
  );
});

test('a view of a larger buffer is encoded without its surroundings', () => {
  expect(encodeHex(new Uint8Array([1, 2, 3, 4]).subarray(1, 3))).toBe('0203');
});

test.each(['a', 'abc'])('odd length: %j', (hex) => {
  expect(reasonOf(hex)).toBe('odd_length');
});

// U+0130 and U+FF30 have the low byte of "0".
test.each([
  'zz',
  '0g',
  'g0',
  'ab0 ',
  ' ab ',
  '0xab',
  'ab\n\n',
  'éé',
  '\u0130\u0130',
  'ab\uff30\uff30',
  '00😀',
])('bad digit: %j', (hex) => {
  expect(reasonOf(hex)).toBe('bad_digit');
});

test('only hex is accepted, whatever the string', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'09afAF\u0130 ') }),
  );
  fc.assert(
    fc.property(text, (hex) => {
      expect(reasonOf(hex) === undefined).toBe(/^([0-9a-fA-F]{2})*$/.test(hex));
    }),
  );
});

test('the error does not repeat the string', () => {
  expect(() => decodeHex('secretzz')).toThrow(expect.not.stringContaining('secret'));
});

function reasonOf(hex: string) {
  try {
    decodeHex(hex);
    return undefined;
  } catch (error) {
    return (error as HexError).reason;
  }
}
