import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { NO_USAGE, toUsage } from './usage.ts';

const told = (input: object, output: object) =>
  toUsage({ inputTokens: input, outputTokens: output } as LanguageModelV4Usage);

it("is the provider's own counting", () => {
  expect(told({ total: 10, cacheRead: 3, cacheWrite: 2 }, { total: 7, reasoning: 4 })).toEqual({
    inputTokens: 5,
    outputTokens: 7,
    cacheReadTokens: 3,
    cacheWriteTokens: 2,
    reasoningTokens: 4,
  });
  expect(told({ total: 10, noCache: 6, cacheRead: 4 }, { total: 1 })).toMatchObject({ inputTokens: 6 });
});

it('takes nothing for a count that is none', () => {
  expect(told({}, {})).toEqual(NO_USAGE);
  expect(told({ total: Number.NaN, cacheRead: -3 }, { total: Number.POSITIVE_INFINITY })).toEqual(NO_USAGE);
  expect(told({ total: 2.4 }, { total: 1e300 })).toEqual({ ...NO_USAGE, inputTokens: 2 });
});
