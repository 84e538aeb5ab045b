import { describe, expect, it, test } from 'vitest';
import { misfitOf } from './mutations/mutation.ts';
import { MUTATIONS } from './mutations/table.ts';
import { runSeed, type SeedResult } from './run/run-seed.ts';
import { runSeeds } from './run/run-seeds.ts';

/** As many as leave the tests quick; `npm run simulate` runs more. */
const SEEDS = 150;
const PATIENCE_MS = 300_000;

test(`${SEEDS} seeds keep every promise`, { timeout: PATIENCE_MS }, async () => {
  const failed: SeedResult[] = [];
  const count = await runSeeds({
    from: 1,
    count: SEEDS,
    threads: 2,
    onResult: (result) => {
      if (result.violations.length > 0) failed.push(result);
      return true;
    },
  });
  expect(count).toBe(SEEDS);
  expect(failed.map(({ seed, violations }) => ({ seed, violations }))).toEqual([]);
});

test('a seed replays exactly', { timeout: PATIENCE_MS }, async () => {
  for (const seed of [7, 10, 23, 41]) {
    const first = await runSeed(seed, { keepHistory: true });
    const second = await runSeed(seed, { keepHistory: true });
    expect(second.history).toEqual(first.history);
    expect(second.digest).toBe(first.digest);
  }
});

describe('mutations', () => {
  it.each(MUTATIONS)('still fit the code: $name', (mutation) => {
    expect(misfitOf(mutation)).toBeUndefined();
  });

  it('are noticed', { timeout: PATIENCE_MS }, async () => {
    const mutation = MUTATIONS.find(({ name }) => name === 'an append is answered before it is stored');
    let noticed = false;
    await runSeeds({
      from: 1,
      count: 50,
      threads: 1,
      mutation,
      onResult: ({ violations }) => {
        noticed ||= violations.some(({ check }) => check === 'acknowledgedIsStored');
        return !noticed;
      },
    });
    expect(noticed).toBe(true);
  });
});
