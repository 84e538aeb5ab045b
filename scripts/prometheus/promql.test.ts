import { expect, test } from 'vitest';
import { readQuery } from './promql.ts';

test('what a query selects, filters and groups by', () => {
  const { selections, grouping, faults } = readQuery(
    'sum by (model) (rate(calls_total{outcome!~"a|b", pod="p"}[1m])) / on (model) group_left up > 0 and absent(gone)',
  );
  expect(selections).toEqual([
    { metric: 'calls_total', labels: ['outcome', 'pod'] },
    { metric: 'up', labels: [] },
    { metric: 'gone', labels: [] },
  ]);
  expect(grouping).toEqual(['model', 'model']);
  expect(faults).toEqual([]);
});

test('what is no query', () => {
  for (const expr of ['sum(rate(x_total)', 'rate(x_total[1m]', 'x{a=}', '1 +'])
    expect(readQuery(expr).faults).not.toEqual([]);
});
