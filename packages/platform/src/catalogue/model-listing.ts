import { z } from 'zod';
import type { Catalogue } from './schema.ts';

/** One model as clients are told of it. */
export const modelListingSchema = z.object({
  id: z.string(),
  displayName: z.string(),
  description: z.string().optional(),
  aliases: z.array(z.string()),
  parameters: z.array(
    z.object({
      id: z.string(),
      displayName: z.string().optional(),
      values: z.array(z.object({ value: z.string(), displayName: z.string().optional() })),
    }),
  ),
});

export type ModelListing = z.infer<typeof modelListingSchema>;

/** The models that clients may choose from, the default one first. Nothing of where they run is part of it. */
export function listModels(catalogue: Catalogue): ModelListing[] {
  return catalogue.models
    .toSorted((a, b) => Number(b.default) - Number(a.default))
    .map((model) => ({
      id: model.id,
      displayName: model.displayName ?? model.id,
      ...(model.description === undefined ? {} : { description: model.description }),
      aliases: model.aliases,
      parameters: model.parameters.map(({ id, displayName, values }) => ({
        id,
        ...(displayName === undefined ? {} : { displayName }),
        values,
      })),
    }));
}
