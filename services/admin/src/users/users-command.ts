import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { generateKey, hashKey, parseDuration, parseUsersFile } from '@tandem/platform';
import { type AuditLog, openAuditLog } from '../audit-log.ts';
import { CommandFault } from '../command-fault.ts';
import { addKey, type Edited, revokeKeys, rotateKey } from './edit-users.ts';
import { listUsers } from './list-users.ts';
import { replaceFile } from './replace-file.ts';

/** What the command knows of the world around it. */
export interface Surroundings {
  /** The file of users, unless `--file` names one. */
  readonly usersFile: string | undefined;
  readonly auditFile: string | undefined;
  /** Who is at the keyboard. */
  readonly actor: string;
  readonly now: () => number;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** All of standard input. */
  readonly stdin: () => string;
}

const OPTIONS = {
  file: { type: 'string' },
  print: { type: 'boolean', default: false },
  'key-file': { type: 'string' },
  audit: { type: 'string' },
  key: { type: 'string' },
  name: { type: 'string' },
  group: { type: 'string', multiple: true },
  expires: { type: 'string' },
  grace: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

type Options = ReturnType<typeof optionsOf>['values'];

const FIRST_KEY = 'key';

/** What came of an edit, with the key that somebody is to be given. */
type Given = Edited & { readonly newKey?: { readonly id: string; readonly value: string } };

/**
 * `tandem users list | add | revoke | rotate`.
 * @throws CommandFault, ConfigError
 */
export function usersCommand(args: readonly string[], world: Surroundings): void {
  const { values: options, positionals } = optionsOf(args);
  const [verb, userId, ...rest] = positionals;
  if (rest.length > 0) throw new CommandFault(`one user at a time: what is ${rest.join(' ')}?`);
  if (verb === 'list') {
    list(options, world);
    return;
  }
  const change = changeOf(verb, options, world);
  if (userId === undefined) throw new CommandFault('name the user: tandem users add|revoke|rotate USER');
  carryOut(options, world, (text) => change(text, userId));
}

function changeOf(
  verb: string | undefined,
  options: Options,
  world: Surroundings,
): (text: string, userId: string) => Given {
  switch (verb) {
    case 'add':
      return (text, userId) => add(text, userId, options, world);
    case 'revoke':
      return (text, userId) => revokeKeys(text, userId, options.key);
    case 'rotate':
      return (text, userId) => rotate(text, userId, options, world);
    default:
      throw new CommandFault('tandem users knows list, add, revoke and rotate');
  }
}

function optionsOf(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new CommandFault((error as Error).message);
  }
}

function add(text: string, userId: string, options: Options, { now }: Surroundings): Given {
  const { name, group: groups, key: id = FIRST_KEY, expires } = options;
  const value = generateKey();
  const key = { id, sha256: hashKey(value), expires: expires && timeOf(expires, '--expires', now()) };
  return { ...addKey(text, { id: userId, name, groups }, key), newKey: { id, value } };
}

function rotate(text: string, userId: string, options: Options, { now }: Surroundings): Given {
  const value = generateKey();
  const expires = options.expires && timeOf(options.expires, '--expires', now());
  const grace = options.grace && timeOf(options.grace, '--grace', now());
  const rotated = rotateKey(text, userId, options.key, { sha256: hashKey(value), expires }, grace);
  return { ...rotated, newKey: { id: rotated.keyId, value } };
}

/** A time from now (`90d`) or a date, as ISO 8601. */
function timeOf(text: string, option: string, now: number): string {
  const duration = parseDuration(text);
  const time = duration === undefined ? Date.parse(text) : now + duration;
  if (Number.isNaN(time)) throw new CommandFault(`${option} takes a duration such as 90d, or a date`);
  return new Date(time).toISOString();
}

function carryOut(options: Options, world: Surroundings, change: (text: string) => Given): void {
  const audit = openAuditLog({ ...world, file: options.audit ?? world.auditFile });
  try {
    if (options.print) print(options, world, change, audit);
    else write(options, world, change, audit);
  } finally {
    audit.close();
  }
}

function write(
  options: Options,
  world: Surroundings,
  change: (text: string) => Given,
  audit: AuditLog,
): void {
  const file = fileOf(options, world);
  if (file === '-') throw new CommandFault('standard input cannot be written to: add --print');
  const { changes, newKey } = replaceFile(file, change);
  audit.write(changes);
  if (newKey) handOver(newKey, options, world);
}

/** For files that live elsewhere, such as in a Secret of Kubernetes: standard output is the new file and nothing else. */
function print(
  options: Options,
  world: Surroundings,
  change: (text: string) => Given,
  audit: AuditLog,
): void {
  const file = fileOf(options, world);
  const { text, changes, newKey } = change(file === '-' ? world.stdin() : readFileSync(file, 'utf8'));
  if (newKey && options['key-file'] === undefined) {
    throw new CommandFault('--print leaves no place for the key: add --key-file FILE');
  }
  if (newKey) handOver(newKey, options, world);
  world.stdout(text);
  audit.write(changes);
}

/** The only time that the key is seen: what is kept is its hash. */
function handOver(key: NonNullable<Given['newKey']>, options: Options, world: Surroundings): void {
  const file = options['key-file'];
  if (file === undefined)
    world.stdout(`The new key, named ${key.id}. It is not shown again.\n\n${key.value}\n`);
  else writeFileSync(file, `${key.value}\n`, { mode: 0o600, flag: 'wx' });
}

function list(options: Options, world: Surroundings): void {
  const file = fileOf(options, world);
  const users = parseUsersFile(file === '-' ? world.stdin() : readFileSync(file, 'utf8'));
  world.stdout(options.json ? `${JSON.stringify(users, null, 2)}\n` : listUsers(users, world.now()));
}

function fileOf({ file }: Options, { usersFile }: Surroundings): string {
  const found = file ?? usersFile;
  if (found === undefined)
    throw new CommandFault('name the file of users: --file FILE, or TANDEM_USERS_FILE');
  return found;
}
