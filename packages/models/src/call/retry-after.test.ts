import { expect, test } from 'vitest';
import { retryAfterMs } from './failure.ts';

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
