import { readFileSync } from 'node:fs';
import { ConfigError, type ConfigFault } from './config-error.ts';
import { type ConfigOf, type ConfigShape, type Setting, settingsOf } from './setting.ts';
import { findText, readArguments, type Sources } from './sources.ts';

/** Options of {@link readConfig}. */
export interface ReadConfigOptions<S> {
  /** Faults that only show when settings are seen together; asked when each setting is right by itself. */
  check?: (config: ConfigOf<S>) => readonly ConfigFault[];
  /** Reads a secret's file; the file system by default. */
  readFile?: (path: string) => string;
}

/**
 * Compiles the environment and the command line into one frozen, typed object.
 *
 * @param shape the settings; see `setting`, `secret` and `foreign`
 * @param env the environment, as in `process.env`
 * @param argv the arguments behind the script's name, as in `process.argv.slice(2)`
 * @throws {ConfigError} with every fault, by variable; values are never quoted
 */
export function readConfig<const S extends ConfigShape>(
  shape: S,
  env: Readonly<Record<string, string | undefined>>,
  argv: readonly string[] = [],
  options: ReadConfigOptions<S> = {},
): ConfigOf<S> {
  const { readFile = (path) => readFileSync(path, 'utf8') } = options;
  const settings = [...settingsOf(shape)];
  const flags = settings
    .filter(([, { secret }]) => !secret)
    .map(([, { variable }]) => [flagOf(variable), variable] as const);
  const { args, faults } = readArguments(argv, new Map(flags));

  const root: Tree = {};
  for (const [path, setting] of settings) {
    const { value, fault } = readSetting(setting, { env, args, readFile });
    if (fault) faults.push(fault);
    else place(root, path, value);
  }
  const config = root as ConfigOf<S>;
  if (faults.length === 0 && options.check) faults.push(...options.check(config));
  if (faults.length > 0) throw new ConfigError(faults);
  return freeze(root) as ConfigOf<S>;
}

type Tree = { [name: string]: unknown };

function flagOf(variable: string): string {
  return `--${variable
    .replace(/^TANDEM_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`;
}

function readSetting(setting: Setting<unknown>, sources: Sources): { value?: unknown; fault?: ConfigFault } {
  const found = findText(setting, sources);
  if ('fault' in found) return found;
  const result = setting.type.safeParse(found.text);
  if (result.success) return { value: result.data };
  const reason = result.error.issues.map(({ message }) => message).join('; ');
  return { fault: { where: setting.variable, reason: setting.secret ? mask(reason, found.text) : reason } };
}

/** A type of the caller's own may quote what it refuses; a secret is taken out of that. */
function mask(reason: string, text: string | undefined): string {
  return text ? reason.replaceAll(text, '***') : reason;
}

function place(tree: Tree, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  tree[name] ??= {};
  place(tree[name] as Tree, rest, value);
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
