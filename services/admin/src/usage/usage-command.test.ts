import { expect, test } from 'vitest';
import { showUsage, usageQuery } from './usage-command.ts';

const NOW = Date.parse('2031-05-01T12:00:00Z');
const row = (scope: string, model: string, input: number, money: number) => ({
  scope,
  model,
  calls: 1,
  input,
  output: 2,
  cacheRead: 0,
  cacheWrite: 0,
  estimated: 0,
  money,
});
const ledger = {
  report: async (day: string) =>
    day === '2031-05-01'
      ? [
          row('group:staff', 'm', 1500, 3_000_000_000),
          row('user:alice', 'm', 1000, 1_500_000_000),
          row('user:bob@x:y', 'n', 500, 1_500_000_000),
        ]
      : [],
};
const show = (...args: string[]) => showUsage(ledger, usageQuery(args, NOW));

test('users by day, with a sum', async () => {
  expect(await show()).toBe(
    [
      '2031-05-01 (UTC)',
      '',
      'user     model  calls  input  output  cache read  cache write  estimated  money',
      'alice    m          1  1,000       2           0            0          0    1.5',
      'bob@x:y  n          1    500       2           0            0          0    1.5',
      'all                 2  1,500       4           0            0          0      3',
      '',
    ].join('\n'),
  );
});

test('one user, groups, other days, and JSON', async () => {
  const json = async (...args: string[]) => JSON.parse(await show('--json', ...args));
  const { scope: _, ...figures } = row('', 'm', 1000, 1.5);
  expect(await json('--user', 'alice')).toEqual({ day: '2031-05-01', rows: [{ user: 'alice', ...figures }] });
  expect((await json('--groups')).rows).toMatchObject([{ group: 'staff', money: 3 }]);
  expect(await json('--day', 'yesterday')).toEqual({ day: '2031-04-30', rows: [] });
});

test.each([['--day', '2031-02-30'], ['--day', 'monday'], ['--users']])('%s %s is refused', (...args) => {
  expect(() => usageQuery(args, NOW)).toThrow();
});
