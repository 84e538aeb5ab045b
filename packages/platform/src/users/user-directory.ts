import { hashKey } from '../tokens/api-key.ts';
import { policyOf, type UserPolicy } from './user-policy.ts';
import type { ConfiguredGroup, ConfiguredUser } from './users-file.ts';

/** Who is behind a key. */
export interface KeyOwner {
  ownerId: string;
  keyId: string;
  name: string | undefined;
  groups: readonly string[];
  /** Ids of the models that the user may use; undefined: all of them. */
  models?: readonly string[] | undefined;
}

/** Knows users and their keys. */
export interface UserDirectory {
  /** Whose key this is; undefined when it is unknown, disabled or expired. */
  findByKey(key: string): KeyOwner | undefined;
  /** Whom a token speaks for; undefined when its key has since been removed, disabled or has expired. */
  findByKeyId(ownerId: string, keyId: string): KeyOwner | undefined;
  /** How many users there are. */
  readonly size: number;
}

/** Knows what users may do. */
export interface UserPolicies {
  /** Undefined when there is no such user. */
  policyOf(ownerId: string): UserPolicy | undefined;
  /** The ids of all users. */
  readonly ownerIds: readonly string[];
}

type Entry = KeyOwner & { expires: number | undefined };

/**
 * Makes a directory of a fixed set of users.
 *
 * @param now milliseconds since 1970, asked at each look-up
 */
export function createUserDirectory(
  users: readonly ConfiguredUser[],
  now: () => number = Date.now,
  groups: readonly ConfiguredGroup[] = [],
): UserDirectory & UserPolicies {
  const policies = new Map(users.map((user) => [user.id, policyOf(user, groups)]));
  const byHash = new Map<string, Entry>();
  const byId = new Map<string, Entry>();
  for (const { id: ownerId, name, groups: ofUser, keys } of users) {
    const models = policies.get(ownerId)?.models;
    for (const { id: keyId, sha256, expires, disabled } of keys) {
      if (disabled) continue;
      const entry = { ownerId, keyId, name, groups: Object.freeze([...ofUser]), models, expires };
      byHash.set(sha256, entry);
      byId.set(pair(ownerId, keyId), entry);
    }
  }
  const valid = (entry: Entry | undefined): KeyOwner | undefined => {
    if (!entry || (entry.expires !== undefined && entry.expires <= now())) return undefined;
    const { expires: _, ...owner } = entry;
    return owner;
  };
  return {
    findByKey: (key) => valid(byHash.get(hashKey(key))),
    findByKeyId: (ownerId, keyId) => valid(byId.get(pair(ownerId, keyId))),
    policyOf: (ownerId) => policies.get(ownerId),
    ownerIds: Object.freeze([...policies.keys()]),
    size: users.length,
  };
}

/** One map key of two ids, neither of which may hold a blank. */
function pair(ownerId: string, keyId: string): string {
  return `${ownerId} ${keyId}`;
}
