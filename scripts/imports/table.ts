// Who may import whom: the table of docs/architecture.md as data.

/** The workspace packages that any file of a package may import, both by their names without `@tandem/`. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  proto: [],
  errors: ['proto'],
  platform: ['errors'],
  'actor-core': ['proto', 'errors'],
  cluster: ['actor-core', 'proto', 'errors', 'platform'],
  agent: ['proto', 'errors', 'actor-core'],
  models: ['agent', 'errors', 'platform'],
  client: ['proto', 'errors'],
  gateway: ['proto', 'errors', 'platform', 'actor-core'],
  worker: ['proto', 'errors', 'platform', 'actor-core', 'agent', 'models'],
  standalone: ['gateway', 'worker'],
  admin: ['errors', 'platform', 'actor-core'],
};

/** What a service's `main.ts` may import besides: adapters are chosen there and nowhere else. */
export const MAIN_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  gateway: ['cluster'],
  worker: ['cluster'],
  admin: ['cluster'],
  standalone: ['actor-core', 'models', 'platform'],
};

/** What a package exports beside its index: adapters without engines, and what only tests load. */
export const SUBPATHS: Readonly<Record<string, readonly string[]>> = {
  'actor-core': ['memory', 'testing', 'contract'],
};

/** Packages whose every file may read `process.env`. Elsewhere only files that are started as programs may. */
export const READS_ENVIRONMENT: readonly string[] = ['platform'];

/** Files that are started as programs, relative to their package. */
export const PROGRAMS: readonly string[] = ['src/main.ts', 'src/chat.ts'];

export const MAX_LINES = 300;
