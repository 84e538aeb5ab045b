import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util';

/** A flag of a command, as `parseArgs` takes it, with what `--help` says about it. */
export interface Flag extends ParseArgsOptionDescriptor {
  readonly about: string;
  /** A word for its value, `VALUE` unless given. */
  readonly value?: string;
}

/** A command of ours, as `--help` describes it. */
export interface Command<F extends Readonly<Record<string, Flag>>> {
  /** How it is called, for example `npm run bench --`. */
  readonly call: string;
  readonly about: string;
  readonly flags: F;
  /** What it takes besides flags, by the names that help gives them. */
  readonly positionals?: Readonly<Record<string, string>>;
  /** Variables of the environment that it reads. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * The arguments of this process. Ends it with the help for `--help`, and with status 2 and the fault for arguments that
 * cannot be used.
 */
export function readArguments<const F extends Readonly<Record<string, Flag>>>(command: Command<F>) {
  const allowPositionals = command.positionals !== undefined;
  try {
    if (process.argv.slice(2).includes('--help')) {
      console.log(helpOf(command));
      process.exit(0);
    }
    return parseArgs({ options: command.flags, allowPositionals });
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error));
  }
}

/** Ends the process with status 2: what it was told cannot be done. */
export function refuse(why: string): never {
  console.error(`${why}\nUse --help to see what there is.`);
  process.exit(2);
}

/** What `--help` shows. */
export function helpOf(command: Command<Readonly<Record<string, Flag>>>): string {
  const { call, about, flags, positionals = {}, environment = {} } = command;
  const names = Object.keys(positionals).map((name) => ` [${name}]`);
  const options = Object.entries(flags).map(([name, flag]): [string, string] => [
    flag.type === 'boolean' ? `--${name}` : `--${name} ${flag.value ?? 'VALUE'}`,
    `${flag.about}${flag.default ? ` (${flag.default})` : ''}`,
  ]);
  return [
    `Usage: ${call}${names.join('')} [options]`,
    about,
    ...section('Arguments', Object.entries(positionals)),
    ...section('Options', [...options, ['--help', 'show this text']]),
    ...section('Environment', Object.entries(environment)),
  ].join('\n\n');
}

function section(title: string, rows: readonly (readonly [string, string])[]): string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [[`${title}:`, ...rows.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`)].join('\n')];
}
