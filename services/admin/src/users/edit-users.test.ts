import { parseUsersFile } from '@tandem/platform';
import { expect, test } from 'vitest';
import { addKey, revokeKeys, rotateKey } from './edit-users.ts';

const SHA = (digit: string) => digit.repeat(64);
const FILE = `# The team
groups:
  - id: staff # everybody
    memberLimits: { concurrentTurns: 4 }
users:
  # First in, last out
  - id: alice
    name: Alice
    groups: [ staff ]
    keys:
      - id: laptop # the old one
        sha256: "${SHA('1')}"
      - { id: desk, sha256: ${SHA('a')} }
`;

test('a new user with a key is added to an empty file', () => {
  const { text, changes } = addKey('', { id: 'bob' }, { id: 'laptop', sha256: SHA('b') });
  expect(text).toBe(`users:\n  - id: bob\n    keys:\n      - id: laptop\n        sha256: ${SHA('b')}\n`);
  expect(changes).toEqual([
    { action: 'user_added', user: 'bob' },
    { action: 'key_added', user: 'bob', key: 'laptop' },
  ]);
});

test('comments and all that is not meant stay as they are', () => {
  const expires = '2031-01-01T00:00:00.000Z';
  const { text } = addKey(
    FILE,
    { id: 'bob', name: 'Bob', groups: ['staff'] },
    { id: 'k', sha256: SHA('2'), expires },
  );
  const added = text.slice(FILE.length);
  expect(text.startsWith(FILE)).toBe(true);
  expect(parseUsersFile(`groups: [{ id: staff }]\nusers:\n${added}`).users).toEqual([
    {
      id: 'bob',
      name: 'Bob',
      groups: ['staff'],
      keys: [{ id: 'k', sha256: SHA('2'), expires: Date.parse(expires), disabled: false }],
    },
  ]);
});

test('a further key for a user who is there', () => {
  const { text, changes } = addKey(FILE, { id: 'alice' }, { id: 'phone', sha256: SHA('c') });
  expect(changes).toEqual([{ action: 'key_added', user: 'alice', key: 'phone' }]);
  expect(parseUsersFile(text).users[0]?.keys.map(({ id }) => id)).toEqual(['laptop', 'desk', 'phone']);
});

test('revoked keys stay, disabled', () => {
  const one = revokeKeys(FILE, 'alice', 'laptop');
  expect(one.changes).toEqual([{ action: 'key_revoked', user: 'alice', key: 'laptop' }]);
  expect(one.text).toContain('- id: laptop # the old one');
  expect(parseUsersFile(one.text).users[0]?.keys.map(({ disabled }) => disabled)).toEqual([true, false]);
  const all = revokeKeys(one.text, 'alice', undefined);
  expect(all.changes).toEqual([{ action: 'key_revoked', user: 'alice', key: 'desk' }]);
  expect(() => revokeKeys(all.text, 'alice', undefined)).toThrow('alice has no key');
});

test('a rotated key has a name of its own, and the former one ends at once or later', () => {
  const first = rotateKey(FILE, 'alice', 'laptop', { sha256: SHA('d') }, undefined);
  expect(first.keyId).toBe('laptop.2');
  expect(first.changes).toEqual([
    { action: 'key_added', user: 'alice', key: 'laptop.2' },
    { action: 'key_revoked', user: 'alice', key: 'laptop' },
  ]);
  const later = '2031-01-02T00:00:00.000Z';
  const second = rotateKey(first.text, 'alice', 'laptop.2', { sha256: SHA('e') }, later);
  expect(second.keyId).toBe('laptop.3');
  expect(parseUsersFile(second.text).users[0]?.keys).toMatchObject([
    { id: 'laptop', disabled: true },
    { id: 'desk', disabled: false },
    { id: 'laptop.2', disabled: false, expires: Date.parse(later) },
    { id: 'laptop.3', sha256: SHA('e'), disabled: false },
  ]);
});

test.each([
  ['nobody', () => revokeKeys(FILE, 'bob', undefined), 'there is no user bob'],
  ['no such key', () => revokeKeys(FILE, 'alice', 'phone'), 'alice has no key named phone'],
  ['two keys', () => rotateKey(FILE, 'alice', undefined, { sha256: SHA('d') }, undefined), 'several keys'],
  ['a name taken', () => addKey(FILE, { id: 'alice' }, { id: 'desk', sha256: SHA('d') }), 'desk already'],
  [
    'a known user',
    () => addKey(FILE, { id: 'alice', name: 'A' }, { id: 'x', sha256: SHA('d') }),
    'there already',
  ],
  [
    'a group that is none',
    () => addKey(FILE, { id: 'b', groups: ['no'] }, { id: 'x', sha256: SHA('d') }),
    'groups',
  ],
  ['an odd id', () => addKey(FILE, { id: 'b c' }, { id: 'x', sha256: SHA('d') }), 'letters'],
  ['an unfit file', () => revokeKeys('users: 7', 'alice', undefined), 'users'],
])('%s is refused', (_, change, message) => {
  expect(change).toThrow(message);
});
