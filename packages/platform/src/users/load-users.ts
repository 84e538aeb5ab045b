import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError, type ConfigFault } from '../config/config-error.ts';
import type { Logger } from '../log/logger.ts';
import { hashKey } from '../tokens/api-key.ts';
import { createUserDirectory, type UserDirectory, type UserPolicies } from './user-directory.ts';
import { type ConfiguredUser, type ConfiguredUsers, findConflicts, parseUsersFile } from './users-file.ts';

/** The id of the user that `TANDEM_API_KEY` stands for. */
export const SINGLE_USER_ID = 'default';

/**
 * The one user of a server that is configured with a key alone (`TANDEM_API_KEY`). The key's id follows from the key, so
 * that another key ends what tokens of the former may do.
 */
export function singleUser(apiKey: string): ConfiguredUser {
  const sha256 = hashKey(apiKey);
  return {
    id: SINGLE_USER_ID,
    groups: [],
    keys: [{ id: `env-${sha256.slice(0, 12)}`, sha256, disabled: false }],
  };
}

/** Options of {@link loadUsers}; at least one of `file` and `apiKey`. */
export interface LoadUsersOptions {
  /** The file of users; see `parseUsersFile`. */
  file?: string;
  /** The key of the single user `default`. */
  apiKey?: string;
  /** How often the file is looked at, in milliseconds. */
  pollMs: number;
  log: Logger;
  /** Counts what came of a changed file. */
  onReload?: (outcome: ReloadOutcome) => void;
  now?: () => number;
}

/** What a look at the file came to: it is as before, was taken over, or is unfit and the former users stay. */
export type ReloadOutcome = 'unchanged' | 'reloaded' | 'rejected';

/** A directory that follows its file. */
export interface LiveUserDirectory extends UserDirectory, UserPolicies {
  /** Looks at the file now. */
  reload(): Promise<ReloadOutcome>;
  /** Stops looking. */
  close(): void;
}

/**
 * Loads the users, and follows changes of their file without a restart.
 *
 * The file is read and hashed at each look, not watched: a Kubernetes config map is changed by swapping a symbolic link
 * two directories up, which watchers miss and modification times may not tell.
 *
 * @throws {ConfigError} when the file is unfit at the start, or neither file nor key is given
 */
export async function loadUsers(options: LoadUsersOptions): Promise<LiveUserDirectory> {
  const { file, apiKey, pollMs, log, onReload, now } = options;
  const own = apiKey === undefined ? [] : [singleUser(apiKey)];
  if (file === undefined && own.length === 0) {
    throw new ConfigError([{ where: 'users', reason: 'neither a file of users nor an API key is set' }]);
  }

  const directoryOf = (found: ConfiguredUsers) => {
    const { groups, users } = checked(found);
    return createUserDirectory(users, now, groups);
  };
  const read = async () => {
    const found = await fingerprint(file);
    return {
      ...found,
      users: () => {
        const { groups, users } = found.text === undefined ? NOBODY : parseUsersFile(found.text);
        return { groups, users: [...own, ...users] };
      },
    };
  };
  const first = await read();
  if (first.fault) throw new ConfigError([first.fault]);
  let seen = first.hash;
  let current = directoryOf(first.users());

  async function reload(): Promise<ReloadOutcome> {
    const { hash, fault, users } = await read();
    if (hash === seen) return 'unchanged';
    seen = hash;
    const outcome = takeOver(fault, users);
    onReload?.(outcome);
    return outcome;
  }

  function takeOver(fault: ConfigFault | undefined, users: () => ConfiguredUsers): ReloadOutcome {
    try {
      if (fault) throw new ConfigError([fault]);
      current = directoryOf(users());
      log.info({ users: current.size }, 'users reloaded');
      return 'reloaded';
    } catch (error) {
      log.error({ err: error }, 'changed file of users is unfit, the former users stay');
      return 'rejected';
    }
  }

  return {
    findByKey: (key) => current.findByKey(key),
    findByKeyId: (ownerId, keyId) => current.findByKeyId(ownerId, keyId),
    policyOf: (ownerId) => current.policyOf(ownerId),
    get ownerIds() {
      return current.ownerIds;
    },
    get size() {
      return current.size;
    },
    reload,
    close: file === undefined ? () => {} : repeat(reload, pollMs),
  };
}

const NOBODY: ConfiguredUsers = { groups: [], users: [] };

interface Fingerprint {
  hash: string;
  text?: string;
  fault?: ConfigFault;
}

/** What a file holds, or why it can't be read, with a hash by which to tell that something else is the case. */
async function fingerprint(file: string | undefined): Promise<Fingerprint> {
  if (file === undefined) return { hash: '' };
  try {
    const text = await readFile(file, 'utf8');
    return { hash: createHash('sha256').update(text).digest('hex'), text };
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    return { hash: code, fault: { where: 'file of users', reason: `cannot be read (${code})` } };
  }
}

function checked(users: ConfiguredUsers): ConfiguredUsers {
  const faults = findConflicts(users);
  if (faults.length > 0) throw new ConfigError(faults);
  return users;
}

/** Does something again and again, `pollMs` after it was done, without keeping the process alive; returns its end. */
function repeat(work: () => Promise<unknown>, pollMs: number): () => void {
  let closed = false;
  let timer: NodeJS.Timeout;
  const next = () => {
    timer = setTimeout(() => void work().finally(() => closed || next()), pollMs).unref();
  };
  next();
  return () => {
    closed = true;
    clearTimeout(timer);
  };
}
