import { expect, test } from 'vitest';
import { MemoryMeter } from './meter.ts';
import { broken } from './thresholds.ts';

test('a meter counts, and tells shares of durations', () => {
  const meter = new MemoryMeter();
  meter.count('turns');
  meter.count('turns', 2);
  for (let ms = 100; ms >= 1; ms -= 1) meter.time('turn', ms);
  expect(meter.total('turns')).toBe(3);
  expect(meter.total('never')).toBe(0);
  expect(meter.percentile('turn', 0.5)).toBe(50);
  expect(meter.percentile('turn', 0.99)).toBe(99);
  expect(meter.percentile('turn', 1)).toBe(100);
  expect(meter.percentile('never', 0.5)).toBeNaN();
});

test('bounds that do not hold are told, and a figure that is missing holds none', () => {
  const thresholds = { failed: { atMost: 0 }, turns: { atLeast: 10 }, delta: { atMost: 5 } };
  expect(broken(thresholds, { failed: 0, turns: 10, delta: 5 })).toEqual([]);
  expect(broken(thresholds, { failed: 1, turns: 9.5 })).toEqual([
    'failed is 1, at most 0 is allowed',
    'turns is 9.5, at least 10 is asked for',
    'delta is NaN, at most 5 is allowed',
  ]);
});
