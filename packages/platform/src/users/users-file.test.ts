import { expect, test } from 'vitest';
import { ConfigError } from '../config/index.ts';
import { findRepeats, parseUsersFile } from './users-file.ts';

const SHA = 'a'.repeat(64);

function faultsOf(text: string): Record<string, string> {
  try {
    parseUsersFile(text);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return Object.fromEntries(error.faults.map(({ where, reason }) => [where, reason]));
  }
  return {};
}

test('a file with all there is, and one with the least', () => {
  const text = `
users:
  - id: alice@example.com
    name: Alice
    groups: [staff, admins]
    keys:
      - { id: laptop, sha256: ${SHA}, expires: 2027-01-31T00:00:00Z }
      - id: old
        sha256: ${'b'.repeat(64)}
        disabled: true
  - id: bob
    keys: []
`;
  expect(parseUsersFile(text)).toEqual([
    {
      id: 'alice@example.com',
      name: 'Alice',
      groups: ['staff', 'admins'],
      keys: [
        { id: 'laptop', sha256: SHA, expires: Date.UTC(2027, 0, 31), disabled: false },
        { id: 'old', sha256: 'b'.repeat(64), disabled: true },
      ],
    },
    { id: 'bob', groups: [], keys: [] },
  ]);
});

test('all faults at once, by place, without values', () => {
  const text = `
users:
  - id: "has blank"
    keys: [{ id: k, sha256: tk_planted, expires: tomorrow }]
  - keys: [{ id: k, sha256: ${SHA}, plan: planted }]
`;
  const faults = faultsOf(text);
  expect(Object.keys(faults).sort()).toEqual([
    'users.0.id',
    'users.0.keys.0.expires',
    'users.0.keys.0.sha256',
    'users.1.id',
    'users.1.keys.0',
  ]);
  expect(JSON.stringify(faults)).not.toContain('planted');
});

test('what is no YAML, or no map of users', () => {
  expect(Object.keys(faultsOf('users: [\n  planted: "x'))[0]).toMatch(/^line \d/);
  expect(JSON.stringify(faultsOf('users: [\n  planted: "x'))).not.toContain('planted');
  expect(faultsOf('')).toHaveProperty('file');
  expect(faultsOf('[]')).toHaveProperty('file');
});

test('repeats are found: users, key ids of a user, keys of anybody', () => {
  const key = (id: string, sha256: string) => ({ id, sha256, disabled: false });
  const users = [
    { id: 'a', groups: [], keys: [key('k', '1'), key('k', '2')] },
    { id: 'a', groups: [], keys: [key('k', '1')] },
  ];
  expect(findRepeats(users)).toEqual([
    { where: 'users.0.keys.1.id', reason: 'is used by an earlier key of this user' },
    { where: 'users.1.id', reason: 'is used by an earlier user' },
    { where: 'users.1.keys.0.sha256', reason: 'is the same key as an earlier one' },
  ]);
});
