import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { References } from './references.ts';
import { MAIN_MAY_IMPORT, MAX_LINES, MAY_IMPORT, PROGRAMS, READS_ENVIRONMENT, SUBPATHS } from './table.ts';

/** One source file of a workspace package. Paths use `/`. */
export interface SourceFile {
  /** The package's name without `@tandem/`. */
  readonly package: string;
  /** Relative to the package's directory. */
  readonly path: string;
  readonly lines: number;
  readonly references: References;
  /** External packages that this file may name: those of its own manifest, for tests the development ones too. */
  readonly declared: ReadonlySet<string>;
}

const SCOPE = '@tandem/';

/** The rules that `file` breaks, as sentences without the file's name; none when it is in order. */
export function faultsOf(file: SourceFile): string[] {
  if (file.references.syntaxError) return [`does not parse: ${file.references.syntaxError}`];
  const faults = file.references.specifiers.flatMap((specifier) => importFault(file, specifier) ?? []);
  if (file.references.readsEnvironment && !mayReadEnvironment(file)) {
    faults.push('reads process.env: take it from the configuration of @tandem/platform');
  }
  if (file.lines > MAX_LINES) faults.push(`has ${file.lines} lines, the limit is ${MAX_LINES}: split it`);
  return faults;
}

/** Faults of a manifest's dependencies on workspace packages, given by their names without `@tandem/`. */
export function manifestFaults(name: string, dependencies: readonly string[]): string[] {
  const allowed = allowedFor(name, 'src/main.ts');
  return dependencies
    .filter((other) => !allowed.includes(other))
    .map((other) => `depends on ${SCOPE}${other}, which ${name} may not import`);
}

function importFault(file: SourceFile, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return relativeFault(file, specifier);
  if (specifier.startsWith(SCOPE)) return workspaceFault(file, specifier);
  if (isBuiltin(specifier)) return undefined;
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (file.declared.has(name)) return undefined;
  return `imports ${name}, which its package.json does not list`;
}

function relativeFault(file: SourceFile, specifier: string): string | undefined {
  const target = posix.normalize(posix.join(posix.dirname(file.path), specifier));
  if (target.startsWith('..')) return `imports ${specifier}, a file outside its package`;
  return undefined;
}

function workspaceFault(file: SourceFile, specifier: string): string | undefined {
  const [name = '', ...inside] = specifier.slice(SCOPE.length).split('/');
  const subpath = inside.join('/');
  if (subpath && !SUBPATHS[name]?.includes(subpath)) {
    return `imports ${specifier}: packages are imported by their name only, or a subpath that they export`;
  }
  if (allowedFor(file.package, file.path).includes(name)) return undefined;
  const always = MAY_IMPORT[file.package]?.map((other) => SCOPE + other).join(', ');
  return `imports ${specifier}: ${file.package} may import ${always || 'no other package'}`;
}

function allowedFor(name: string, path: string): readonly string[] {
  const always = MAY_IMPORT[name] ?? [];
  return path === 'src/main.ts' ? [...always, ...(MAIN_MAY_IMPORT[name] ?? [])] : always;
}

function mayReadEnvironment(file: SourceFile): boolean {
  const { path } = file;
  return READS_ENVIRONMENT.includes(file.package) || PROGRAMS.includes(path) || !path.startsWith('src/');
}
