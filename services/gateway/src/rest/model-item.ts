import type { ModelListing } from '@tandem/platform';

/** A model as `GET /v1/models` lists it. */
export function modelItem({ id, displayName, description, aliases, parameters }: ModelListing) {
  return { id, displayName, description, aliases, parameters };
}
