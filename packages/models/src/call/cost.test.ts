import { expect, test } from 'vitest';
import { costOf } from './call-model.ts';

test('costs by the million, the cache as input unless it has its own price', () => {
  const usage = {
    inputTokens: 1e6,
    outputTokens: 2e6,
    cacheReadTokens: 1e6,
    cacheWriteTokens: 1e6,
    reasoningTokens: 0,
  };
  expect(costOf({ input: 3, output: 10 }, usage)).toBe(29);
  expect(costOf({ input: 3, output: 10, cacheRead: 0.5, cacheWrite: 4 }, usage)).toBe(27.5);
  expect(costOf(undefined, usage)).toBeUndefined();
});
