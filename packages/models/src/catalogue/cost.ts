import type { Usage } from '@tandem/agent';
import type { CatalogueModel } from '@tandem/platform';

const MILLION = 1_000_000;

/**
 * What a call cost, in the unit of the catalogue's prices. Tokens of the cache cost as much as input unless they have
 * a price of their own.
 */
export function costOf(price: CatalogueModel['price'], usage: Usage): number | undefined {
  if (!price) return undefined;
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  return (
    (usage.inputTokens * input +
      usage.outputTokens * output +
      usage.cacheReadTokens * cacheRead +
      usage.cacheWriteTokens * cacheWrite) /
    MILLION
  );
}
