import { expect, test } from 'vitest';
import { mayUse, policyOf } from './user-policy.ts';
import { parseUsersFile } from './users-file.ts';

const { groups, users } = parseUsersFile(`
groups:
  - id: staff
    models: [small, large]
    memberLimits: { concurrentTurns: 2, tokensPerDay: 100 }
  - id: lab
    models: [odd, small]
    memberLimits: { tokensPerDay: 500 }
    limits: { moneyPerDay: 7 }
  - id: budget
    limits: { tokensPerDay: 1000 }
users:
  - { id: free, keys: [] }
  - { id: alice, groups: [staff, budget], keys: [] }
  - { id: bob, groups: [lab, staff], limits: { concurrentTurns: 1, moneyPerDay: 3 }, keys: [] }
  - { id: carol, groups: [budget], keys: [] }
`);
const policies = Object.fromEntries(users.map((user) => [user.id, policyOf(user, groups)]));

test.each([
  ['free', undefined, {}, []],
  [
    'alice',
    ['small', 'large'],
    { concurrentTurns: 2, tokensPerDay: 100 },
    [{ id: 'budget', limits: { tokensPerDay: 1000 } }],
  ],
  [
    'bob',
    ['small', 'large', 'odd'],
    { concurrentTurns: 1, tokensPerDay: 500, moneyPerDay: 3 },
    [{ id: 'lab', limits: { moneyPerDay: 7 } }],
  ],
  ['carol', undefined, {}, [{ id: 'budget', limits: { tokensPerDay: 1000 } }]],
])('what %s may do', (id, models, limits, shared) => {
  expect(policies[id]).toEqual({ ownerId: id, models, limits, groups: shared });
});

test('models are those of the list, or all', () => {
  expect(mayUse({ models: undefined }, 'any')).toBe(true);
  expect(['small', 'odd'].map((model) => mayUse(policies.alice ?? { models: [] }, model))).toEqual([
    true,
    false,
  ]);
});
