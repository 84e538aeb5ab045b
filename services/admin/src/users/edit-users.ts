import { ConfigError, findConflicts, parseUsersFile } from '@tandem/platform';
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { CommandFault } from '../command-fault.ts';

/** What was done to whom; for the audit log. */
export interface Change {
  readonly action: 'user_added' | 'key_added' | 'key_revoked' | 'key_expires';
  readonly user: string;
  readonly key?: string;
  /** When the key ends, ISO 8601. */
  readonly expires?: string;
}

/** A file of users after an edit. */
export interface Edited {
  readonly text: string;
  readonly changes: readonly Change[];
}

/** A key to be given to somebody. */
export interface NewKey {
  readonly id: string;
  readonly sha256: string;
  /** ISO 8601. */
  readonly expires?: string | undefined;
}

export interface UserDetails {
  readonly id: string;
  readonly name?: string | undefined;
  readonly groups?: readonly string[] | undefined;
}

/**
 * Gives a user a key; a new user is made first. What else is in the file stays, comments too.
 * @throws CommandFault when the user has a key of that name, or is described anew
 * @throws ConfigError when the file is unfit, before or after
 */
export function addKey(text: string, user: UserDetails, key: NewKey): Edited {
  return edit(text, (document) => {
    const changes: Change[] = [];
    let found = findById(usersOf(document), user.id);
    if (!found) {
      const entry = {
        id: user.id,
        ...(user.name !== undefined && { name: user.name }),
        ...(user.groups?.length && { groups: user.groups }),
        keys: [],
      };
      found = append(document, usersOf(document), entry);
      changes.push({ action: 'user_added', user: user.id });
    } else if (user.name !== undefined || user.groups?.length) {
      throw new CommandFault(`${user.id} is there already: change its name and groups in the file`);
    }
    if (findById(keysOf(document, found), key.id)) {
      throw new CommandFault(
        `${user.id} has a key named ${key.id} already: choose another name, or rotate it`,
      );
    }
    return [...changes, giveKey(document, found, user.id, key)];
  });
}

/**
 * Ends keys at once: the one named, or all of a user. They stay in the file, disabled, so that their names are not used again.
 * @throws CommandFault when there is no such user or key
 * @throws ConfigError when the file is unfit, before or after
 */
export function revokeKeys(text: string, userId: string, keyId: string | undefined): Edited {
  return edit(text, (document) => {
    const keys = keysToEnd(document, userId, keyId);
    return keys.map((key): Change => {
      key.set('disabled', true);
      return { action: 'key_revoked', user: userId, key: String(key.get('id')) };
    });
  });
}

/**
 * Replaces a key by a new one, whose name follows from the old one's. The old one ends at `oldExpires`, or at once.
 * @param key without a name
 * @throws CommandFault when there is no such user or key, or none was named and there are several
 * @throws ConfigError when the file is unfit, before or after
 */
export function rotateKey(
  text: string,
  userId: string,
  keyId: string | undefined,
  key: Omit<NewKey, 'id'>,
  oldExpires: string | undefined,
): Edited & { readonly keyId: string } {
  let newId = '';
  const edited = edit(text, (document) => {
    const [old, ...more] = keysToEnd(document, userId, keyId);
    if (!old || more.length > 0) throw new CommandFault(`${userId} has several keys: name one with --key`);
    const oldId = String(old.get('id'));
    const user = userOf(document, userId);
    newId = nextId(oldId, keysOf(document, user));
    if (oldExpires === undefined) old.set('disabled', true);
    else old.set('expires', oldExpires);
    const ended: Change =
      oldExpires === undefined
        ? { action: 'key_revoked', user: userId, key: oldId }
        : { action: 'key_expires', user: userId, key: oldId, expires: oldExpires };
    return [giveKey(document, user, userId, { ...key, id: newId }), ended];
  });
  return { ...edited, keyId: newId };
}

function edit(text: string, change: (document: Document) => Change[]): Edited {
  const before = text.trim() === '' ? 'users: []\n' : text;
  check(before);
  const document = parseDocument(before);
  const changes = change(document);
  const after = document.toString({ lineWidth: 0 });
  check(after);
  return { text: after, changes };
}

function check(text: string): void {
  const faults = findConflicts(parseUsersFile(text));
  if (faults.length > 0) throw new ConfigError(faults);
}

function usersOf(document: Document): YAMLSeq {
  return seqOf(document.get('users'));
}

function userOf(document: Document, userId: string): YAMLMap {
  const user = findById(usersOf(document), userId);
  if (!user) throw new CommandFault(`there is no user ${userId}`);
  return user;
}

function keysOf(_document: Document, user: YAMLMap): YAMLSeq {
  return seqOf(user.get('keys'));
}

/** The keys that are meant and not disabled yet. */
function keysToEnd(document: Document, userId: string, keyId: string | undefined): YAMLMap[] {
  const keys = keysOf(document, userOf(document, userId)).items.filter((item) => isMap(item));
  const meant = keys.filter(
    (key) => key.get('disabled') !== true && (keyId ?? key.get('id')) === key.get('id'),
  );
  if (meant.length > 0) return meant;
  throw new CommandFault(
    keyId === undefined ? `${userId} has no key` : `${userId} has no key named ${keyId}`,
  );
}

function giveKey(document: Document, user: YAMLMap, userId: string, { id, sha256, expires }: NewKey): Change {
  const entry = { id, sha256, ...(expires !== undefined && { expires }) };
  append(document, keysOf(document, user), entry);
  return { action: 'key_added', user: userId, key: id, ...(expires !== undefined && { expires }) };
}

/** An empty list is written `[]`; with something in it, it is written as the other lists are. */
function append(document: Document, list: YAMLSeq, entry: object): YAMLMap {
  if (list.items.length === 0) list.flow = false;
  const node = document.createNode(entry) as YAMLMap;
  list.add(node);
  return node;
}

/** `laptop`, `laptop.2`, `laptop.3`, …: the first that is not taken. */
function nextId(id: string, keys: YAMLSeq): string {
  const [, base = id, number = '1'] = /^(.*)\.(\d+)$/.exec(id) ?? [];
  for (let next = Number(number) + 1; ; next += 1) {
    if (!findById(keys, `${base}.${next}`)) return `${base}.${next}`;
  }
}

function findById(list: YAMLSeq, id: string): YAMLMap | undefined {
  return list.items.find((item): item is YAMLMap => isMap(item) && item.get('id') === id);
}

/** The file was checked: what has to be a list is one. */
function seqOf(node: unknown): YAMLSeq {
  if (isSeq(node)) return node;
  throw new CommandFault('this list is written in a way that cannot be edited (an alias?)');
}
