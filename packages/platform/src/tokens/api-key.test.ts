import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateKey, hashKey, isWellFormedKey } from './api-key.ts';

test('keys are well formed, and all of the randomness is in them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat(255), (bytes, bit) => {
      const key = generateKey(() => bytes);
      expect(isWellFormedKey(key)).toBe(true);
      const other = Uint8Array.from(bytes);
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(generateKey(() => other)).not.toBe(key);
    }),
  );
  expect(generateKey()).not.toBe(generateKey());
});

test('a typing error shows', () => {
  const key = generateKey(() => new Uint8Array(32).fill(7));
  for (let at = 3; at < key.length; at++) {
    const wrong = key[at] === '0' ? '1' : '0';
    expect(isWellFormedKey(key.slice(0, at) + wrong + key.slice(at + 1))).toBe(false);
  }
  for (const text of ['', 'tk_', key.toUpperCase(), `${key}0`, ` ${key}`])
    expect(isWellFormedKey(text)).toBe(false);
});

test('the hash is the key’s SHA-256', () => {
  expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
