import type { ConfigFault } from './config-error.ts';
import type { Setting } from './setting.ts';

/** Where values come from, and how a secret's file is read. */
export interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values of the command line, by variable. */
  readonly args: ReadonlyMap<string, string>;
  readonly readFile: (path: string) => string;
}

/** What was found for a setting: its text, nothing, or why it cannot be read. */
export type Found = { text: string | undefined } | { fault: ConfigFault };

/** Finds a setting's text: command line, then variable, then the secret's file. An empty variable is not set. */
export function findText({ variable, secret }: Setting<unknown>, { env, args, readFile }: Sources): Found {
  const direct = args.get(variable) ?? (env[variable] || undefined);
  const fileVariable = `${variable}_FILE`;
  const path = secret ? env[fileVariable] || undefined : undefined;
  if (path === undefined) return { text: direct };
  if (direct !== undefined)
    return { fault: { where: fileVariable, reason: `is set together with ${variable}` } };
  try {
    return { text: readFile(path).replace(/\r?\n$/, '') || undefined };
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    return { fault: { where: fileVariable, reason: `names a file that cannot be read (${code})` } };
  }
}

/**
 * Reads `--name value` and `--name=value`; a flag with no value is `true`.
 *
 * @param flags the flags that exist, with the variable that each stands for
 */
export function readArguments(
  argv: readonly string[],
  flags: ReadonlyMap<string, string>,
): { args: Map<string, string>; faults: ConfigFault[] } {
  const args = new Map<string, string>();
  const faults: ConfigFault[] = [];
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? '';
    const equals = word.indexOf('=');
    const flag = equals < 0 ? word : word.slice(0, equals);
    const variable = flags.get(flag);
    if (variable === undefined) {
      faults.push({ where: flag.startsWith('--') ? flag : 'command line', reason: 'is not known here' });
      continue;
    }
    const next = argv[index + 1];
    if (equals >= 0) args.set(variable, word.slice(equals + 1));
    else if (next === undefined || next.startsWith('--')) args.set(variable, 'true');
    else {
      args.set(variable, next);
      index++;
    }
  }
  return { args, faults };
}
