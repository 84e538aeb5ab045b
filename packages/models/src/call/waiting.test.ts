import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

test.each([
  [{ 'retry-after': '3' }, 3000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
  [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after-ms': '250', 'retry-after': '3' }, 250],
  [{ 'retry-after-ms': '-1' }, undefined],
  [{}, undefined],
])('retry-after %o', (headers, expected) => {
  expect(retryAfterMs(headers as Record<string, string>, NOW)).toBe(expected);
});

test('the wait grows, is random by half, and never shorter than asked', () => {
  expect([1, 2, 3, 4, 5, 6].map((tries) => backoffMs(tries, 0))).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.nat(30_000),
      (tries, random, asked) => {
        const wait = backoffMs(tries, random, asked);
        expect(wait).toBeGreaterThanOrEqual(Math.max(asked, 250));
        expect(wait).toBeLessThanOrEqual(Math.max(asked, 8000));
      },
    ),
  );
});
