export { CatalogueError } from './catalogue-error.ts';
export { catalogueSettings, DEMO_MODEL, isOpenAi } from './environment.ts';
export { listModels, type ModelListing, modelListingSchema } from './model-listing.ts';
export { type CatalogueSource, readCatalogue } from './read-catalogue.ts';
export {
  type Catalogue,
  type CatalogueInput,
  type CatalogueModel,
  catalogueSchema,
  type Deployment,
  type SecretReference,
  secretReferenceSchema,
} from './schema.ts';
