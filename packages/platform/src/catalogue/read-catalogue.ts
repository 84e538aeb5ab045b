import { TandemError } from '@tandem/errors';
import { parse } from 'yaml';
import type { z } from 'zod';
import { environmentCatalogue } from './environment.ts';
import { type Catalogue, catalogueSchema } from './schema.ts';

export interface CatalogueSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads a text file, or throws. */
  readonly readTextFile: (path: string) => string;
}

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

/** Names by which clients ask for whatever model is the default one. */
const DEFAULT_NAMES = ['default', 'auto'];

/**
 * Reads the catalogue: the YAML file that `TANDEM_MODELS_FILE` names, and it alone, else what the variables of
 * providers say, else the demo model. Secrets stay references, so that a service that only lists models needs none.
 *
 * @throws CatalogueError with all faults.
 */
export function readCatalogue({ env, readTextFile }: CatalogueSource): Catalogue {
  const path = env.TANDEM_MODELS_FILE?.trim();
  if (path) return validate(path, readYaml(path, readTextFile), []);
  const faults: string[] = [];
  return validate('the environment', environmentCatalogue(env, faults), faults);
}

function readYaml(path: string, readTextFile: CatalogueSource['readTextFile']): unknown {
  try {
    return parse(readTextFile(path), { prettyErrors: false });
  } catch (error) {
    throw new CatalogueError(path, [error instanceof Error ? error.message : 'cannot be read']);
  }
}

function validate(source: string, input: unknown, faults: readonly string[]): Catalogue {
  const result = catalogueSchema.safeParse(input);
  const all = [...faults, ...(result.error?.issues ?? []).flatMap(describe)];
  if (!result.success || all.length > 0) throw new CatalogueError(source, all);
  return withDefault(result.data);
}

function describe(issue: z.core.$ZodIssue): string[] {
  const place = issue.path.reduce<string>(
    (path, key) =>
      typeof key === 'number' ? `${path}[${key}]` : path ? `${path}.${String(key)}` : String(key),
    '',
  );
  return [`${place || 'the whole'}: ${issue.message}`];
}

function withDefault({ models }: Catalogue): Catalogue {
  const chosen = models.find((model) => model.default) ?? models[0];
  const taken = new Set(models.flatMap((model) => [model.id, ...model.aliases]));
  const names = DEFAULT_NAMES.filter((name) => !taken.has(name));
  return {
    models: models.map((model) =>
      model === chosen ? { ...model, default: true, aliases: [...model.aliases, ...names] } : model,
    ),
  };
}
