import { expect, test } from 'vitest';
import type { Exported } from '../../tests/observability/exported.ts';
import { nameFaults } from './names.ts';

const EXPORTED: Exported[] = [
  { name: 'calls_total', type: 'counter', help: '', labels: ['model'], services: ['worker'] },
  { name: 'wait_seconds', type: 'histogram', help: '', labels: [], services: ['worker'] },
];

test.each([
  'sum by (model, instance) (rate(calls_total{component="worker"}[$__rate_interval]))',
  'histogram_quantile(0.9, sum by (le) (rate(wait_seconds_bucket[5m])))',
  'up{component="gateway"} == 0',
])('nothing is wrong with %s', (expr) => {
  expect(nameFaults(expr, EXPORTED)).toEqual([]);
});

test.each<[string, unknown]>([
  ['rate(call_total[1m])', 'call_total is not exported'],
  ['rate(wait_seconds[1m])', 'wait_seconds is not exported'],
  ['calls_total{outcome="stop"}', 'calls_total has no label outcome'],
  ['sum by (outcome) (calls_total)', 'nothing here has a label outcome'],
])('%s is told to be wrong', (expr, fault) => {
  expect(nameFaults(expr, EXPORTED)).toContainEqual(fault);
});
