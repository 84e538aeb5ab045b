import { TandemError } from '@tandem/errors';

/** The catalogue of models cannot be used; tells everything that is wrong with it at once. */
export class CatalogueError extends TandemError {
  override name = 'CatalogueError';
  /** One line a fault, with the place. Values of secrets are never part of it. */
  readonly faults: readonly string[];

  constructor(source: string, faults: readonly string[]) {
    super('internal', { message: [`The models of ${source} cannot be used:`, ...faults].join('\n  ') });
    this.faults = faults;
  }
}
