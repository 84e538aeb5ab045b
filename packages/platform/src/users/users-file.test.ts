import { expect, test } from 'vitest';
import { ConfigError } from '../config/config-error.ts';
import { findConflicts, parseUsersFile } from './users-file.ts';

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
groups:
  - id: staff
    models: [sonnet]
    limits: { tokensPerDay: 1000, moneyPerDay: 0.5 }
    memberLimits: { concurrentTurns: 2 }
  - id: admins
users:
  - id: alice@example.com
    name: Alice
    groups: [staff, admins]
    limits: { moneyPerDay: 20 }
    keys:
      - { id: laptop, sha256: ${SHA}, expires: 2027-01-31T00:00:00Z }
      - id: old
        sha256: ${'b'.repeat(64)}
        disabled: true
  - id: bob
    keys: []
`;
  const { groups, users } = parseUsersFile(text);
  expect(groups).toEqual([
    {
      id: 'staff',
      models: ['sonnet'],
      limits: { tokensPerDay: 1000, moneyPerDay: 0.5 },
      memberLimits: { concurrentTurns: 2 },
    },
    { id: 'admins', limits: {}, memberLimits: {} },
  ]);
  expect(users).toEqual([
    {
      id: 'alice@example.com',
      name: 'Alice',
      groups: ['staff', 'admins'],
      limits: { moneyPerDay: 20 },
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
    limits: { tokensPerDay: 0, concurrentTurns: planted }
groups: [{ id: g, memberLimits: { tokensPerHour: 1 } }]
`;
  const faults = faultsOf(text);
  expect(Object.keys(faults).sort()).toEqual([
    'groups.0.memberLimits',
    'users.0.id',
    'users.0.keys.0.expires',
    'users.0.keys.0.sha256',
    'users.1.id',
    'users.1.keys.0',
    'users.1.limits.concurrentTurns',
    'users.1.limits.tokensPerDay',
  ]);
  expect(JSON.stringify(faults)).not.toContain('planted');
});

test('what is no YAML, or no map of users', () => {
  expect(Object.keys(faultsOf('users: [\n  planted: "x'))[0]).toMatch(/^line \d/);
  expect(JSON.stringify(faultsOf('users: [\n  planted: "x'))).not.toContain('planted');
  expect(faultsOf('')).toHaveProperty('file');
  expect(faultsOf('[]')).toHaveProperty('file');
});

test('repeats are found: users, key ids of a user, keys of anybody, groups; and groups that nobody described', () => {
  const key = (id: string, sha256: string) => ({ id, sha256, disabled: false });
  const users = [
    { id: 'a', groups: ['g', 'typo'], keys: [key('k', '1'), key('k', '2')] },
    { id: 'a', groups: [], keys: [key('k', '1')] },
  ];
  const group = { id: 'g', limits: {}, memberLimits: {} };
  expect(findConflicts({ groups: [group, group], users })).toEqual([
    { where: 'groups.1.id', reason: 'is used by an earlier group' },
    { where: 'users.0.groups.1', reason: 'is not described under groups' },
    { where: 'users.0.keys.1.id', reason: 'is used by an earlier key of this user' },
    { where: 'users.1.id', reason: 'is used by an earlier user' },
    { where: 'users.1.keys.0.sha256', reason: 'is the same key as an earlier one' },
  ]);
});
