import type { Usage } from '@tandem/agent';
import { costOf } from '@tandem/models';
import type { Catalogue } from '@tandem/platform';

/** What calls of the catalogue's models cost, in the unit of its prices; undefined where it names none. */
export function priceList(catalogue: Catalogue): (modelId: string, usage: Usage) => number | undefined {
  const prices = new Map(catalogue.models.map(({ id, price }) => [id, price]));
  return (modelId, usage) => costOf(prices.get(modelId), usage);
}
