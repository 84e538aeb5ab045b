import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Usage } from '@tandem/agent';

export const NO_USAGE: Usage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
});

/** The provider's own numbers; zero where it tells none, or nothing that could be one. */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const cacheReadTokens = count(inputTokens.cacheRead);
  const cacheWriteTokens = count(inputTokens.cacheWrite);
  return {
    inputTokens: count(inputTokens.noCache ?? count(inputTokens.total) - cacheReadTokens - cacheWriteTokens),
    outputTokens: count(outputTokens.total),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: count(outputTokens.reasoning),
  };
}

function count(value: number | undefined): number {
  const whole = Math.round(value ?? 0);
  return Number.isSafeInteger(whole) && whole > 0 ? whole : 0;
}
