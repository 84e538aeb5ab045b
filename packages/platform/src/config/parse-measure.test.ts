import { expect, test } from 'vitest';
import { parseByteSize, parseDuration } from './parse-measure.ts';

test.each([
  ['0', 0],
  ['250ms', 250],
  ['30s', 30_000],
  ['1.5s', 1500],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
  ['30', undefined],
  ['', undefined],
  ['-1s', undefined],
  ['1 s', undefined],
  ['1w', undefined],
  ['s', undefined],
])('the duration %o is %o ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  ['0', 0],
  ['4096', 4096],
  ['1KiB', 1024],
  ['1kb', 1000],
  ['32MiB', 33_554_432],
  ['1.5 GB', 1_500_000_000],
  ['10B', 10],
  ['MiB', undefined],
  ['1XB', undefined],
  ['', undefined],
  ['-1KB', undefined],
  ['9999999TiB', undefined],
])('the size %o is %o bytes', (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes);
});
