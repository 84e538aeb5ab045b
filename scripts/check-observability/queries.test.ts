import { expect, test } from 'vitest';
import { watchedBy } from './queries.ts';

test.each([
  ['sum(a) > 0', ['sum(a)']],
  ['min(a) == 0', ['min(a)']],
  ['absent(a)', ['a']],
  ['sum(a) > 5 and sum(a) / sum(b) > 0.1', ['sum(a)', 'sum(a) / sum(b)']],
  ['x{y=~"z"} - w > 1', ['x{y=~"z"} - w']],
])('%s watches %s', (alert, parts) => {
  expect(watchedBy(alert)).toEqual(parts);
});
