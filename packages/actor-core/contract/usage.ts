import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Bound, CallUsage, LedgerCall, TurnPlace, UsageLedger, UsageRow } from '../src/ports/usage.ts';
import type { Opened } from './opened.ts';

const LONG_MS = 10_000;
const DAY = '2031-05-01';
const WARN_AT = 0.8;

/** What every ledger of usage must do. */
export function usageContract(name: string, open: () => Promise<Opened<UsageLedger>>): void {
  describe(`${name} as a ledger of usage`, () => {
    let ledger: UsageLedger;
    let close: () => Promise<void>;
    let user: string;
    let group: string;

    beforeAll(async () => {
      ({ port: ledger, close } = await open());
    });
    afterAll(() => close());
    beforeEach(() => {
      user = `user:${randomUUID()}`;
      group = `group:${randomUUID()}`;
    });

    const place = (bounds: readonly Bound[], turn = randomUUID(), holder = 'a') => ({ turn, holder, bounds });
    const call = (bounds: readonly Bound[], more: Partial<LedgerCall> = {}): LedgerCall => ({
      id: randomUUID(),
      day: DAY,
      model: 'm',
      bounds,
      estimate: { tokens: 10, money: 5 },
      ...more,
    });
    const usage = (more: Partial<CallUsage>): CallUsage => ({
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      estimated: 0,
      money: 0,
      ...more,
    });
    const reserve = (one: LedgerCall) => ledger.reserve(one, WARN_AT);
    const enter = async (one: TurnPlace, ttlMs: number, force: boolean) =>
      (await ledger.reserve(call(one.bounds), WARN_AT, { place: one, ttlMs, force })).refused;
    const rows = async (scope: string, day = DAY): Promise<UsageRow[]> =>
      (await ledger.report(day)).filter((row) => row.scope === scope);

    it('has as many places for turns as the tightest bound, each given once', async () => {
      const bounds = [{ scope: user, turns: 2 }, { scope: group }];
      const given = await Promise.all(Array.from({ length: 10 }, () => enter(place(bounds), LONG_MS, false)));
      expect(given.filter((hit) => hit === undefined)).toHaveLength(2);
      expect(given.find(Boolean)).toEqual({ scope: user, limit: 'turns' });
      const others = [{ scope: `${user}-other` }, { scope: group, turns: 3 }];
      expect(await enter(place(others), LONG_MS, false)).toBeUndefined();
      expect(await enter(place(others), LONG_MS, false)).toEqual({ scope: group, limit: 'turns' });
    });

    it('takes a turn that has its place again, or by force, and no other', async () => {
      const bounds = [{ scope: user, turns: 1 }];
      const first = place(bounds);
      await enter(first, LONG_MS, false);
      expect(await enter({ ...first, holder: 'b' }, LONG_MS, false)).toBeUndefined();
      expect(await enter(place(bounds), LONG_MS, false)).toBeDefined();
      const begun = place(bounds);
      expect(await enter(begun, LONG_MS, true)).toBeUndefined();
      await ledger.leave(begun);
      expect(await enter(place(bounds), LONG_MS, false)).toBeDefined();
    });

    it('frees a place that its holder leaves, not one that was taken over', async () => {
      const bounds = [{ scope: user, turns: 1 }];
      const first = place(bounds);
      await enter(first, LONG_MS, false);
      await enter({ ...first, holder: 'b' }, LONG_MS, false);
      await ledger.leave(first);
      expect(await enter(place(bounds), LONG_MS, false)).toBeDefined();
      await ledger.leave({ ...first, holder: 'b' });
      expect(await enter(place(bounds), LONG_MS, false)).toBeUndefined();
    });

    it('frees a place that nobody renews', async () => {
      const bounds = [{ scope: user, turns: 2 }];
      const [dead, living] = [place(bounds), place(bounds)];
      await enter(dead, 500, false);
      await enter(living, 500, false);
      await ledger.renew([living], LONG_MS);
      await ledger.renew([], LONG_MS);
      await expect.poll(() => enter(place(bounds), LONG_MS, false), { timeout: 5000 }).toBeUndefined();
      expect(await enter(place(bounds), LONG_MS, false)).toBeDefined();
    });

    it('renews what the store has lost, and leaves alone what another holds', async () => {
      const bounds = [{ scope: user, turns: 1 }];
      const lost = place(bounds);
      await ledger.renew([lost], LONG_MS);
      expect(await enter(place(bounds), LONG_MS, false)).toBeDefined();
      await enter({ ...lost, holder: 'b' }, 300, false);
      await ledger.renew([lost], LONG_MS);
      await expect.poll(() => enter(place(bounds), LONG_MS, false), { timeout: 5000 }).toBeUndefined();
    });

    it('books nothing for a turn that finds no place, and keeps the place of one whose call is refused', async () => {
      const bounds = [{ scope: user, turns: 1, tokens: 10 }];
      const [first, second] = [place(bounds), place(bounds)];
      expect(await enter(first, LONG_MS, false)).toBeUndefined();
      expect(await enter(second, LONG_MS, false)).toEqual({ scope: user, limit: 'turns' });
      expect(await rows(user)).toEqual([
        { scope: user, model: 'm', calls: 0, ...usage({ estimated: 10, money: 5 }) },
      ]);
      await ledger.leave(first);
      expect(await enter(second, LONG_MS, false)).toEqual({ scope: user, limit: 'tokens' });
      expect(await enter(first, LONG_MS, false)).toEqual({ scope: user, limit: 'turns' });
    });

    it('replaces an estimate by what a provider counted, for each scope and model', async () => {
      const bounds = [{ scope: user }, { scope: group }];
      const one = call(bounds);
      expect(await reserve(one)).toEqual({});
      expect(await rows(user)).toEqual([
        { scope: user, model: 'm', calls: 0, ...usage({ estimated: 10, money: 5 }) },
      ]);
      const counted = usage({ input: 7, output: 3, cacheRead: 2, cacheWrite: 1, money: 4 });
      await ledger.settle(one, counted);
      const other = call(bounds, { model: 'n' });
      await reserve(other);
      await ledger.settle(other, usage({ output: 1, estimated: 2, money: 1 }));
      for (const scope of [user, group]) {
        expect(await rows(scope)).toEqual([
          { scope, model: 'm', calls: 1, ...counted },
          { scope, model: 'n', calls: 1, ...usage({ output: 1, estimated: 2, money: 1 }) },
        ]);
      }
      expect(await rows(user, '2031-05-02')).toEqual([]);
    });

    it('books a call once, however often it is told', async () => {
      const one = call([{ scope: user, tokens: 11 }]);
      await Promise.all([reserve(one), reserve(one), reserve(one)]);
      await Promise.all([1, 2, 3].map(() => ledger.settle(one, usage({ input: 10, money: 2 }))));
      await reserve(one);
      expect(await rows(user)).toEqual([
        { scope: user, model: 'm', calls: 1, ...usage({ input: 10, money: 2 }) },
      ]);
      expect(await reserve(call([{ scope: user, tokens: 11 }]))).toEqual({
        warning: { scope: user, limit: 'tokens', spent: 10 / 11 },
      });
    });

    it('books what a call took even if its estimate never arrived', async () => {
      await ledger.settle(call([{ scope: user }]), usage({ input: 3, money: 1 }));
      expect(await rows(user)).toEqual([
        { scope: user, model: 'm', calls: 1, ...usage({ input: 3, money: 1 }) },
      ]);
    });

    it.each([
      ['tokens', { tokens: 100 }],
      ['money', { money: 100 }],
    ] as const)('refuses calls once the %s of a day are spent, of a user or a group', async (limit, most) => {
      const spend = async (bounds: readonly Bound[]) => {
        const one = call(bounds, { estimate: { tokens: 0, money: 0 } });
        await reserve(one);
        await ledger.settle(one, usage({ input: 100, money: 100 }));
      };
      const own = [{ scope: user, ...most }, { scope: group }];
      await spend(own);
      expect(await reserve(call(own))).toEqual({ refused: { scope: user, limit } });
      expect(await reserve(call(own, { day: '2031-05-02' }))).toEqual({});
      const shared = [{ scope: `${user}-b` }, { scope: group, ...most }];
      expect(await reserve(call(shared))).toEqual({ refused: { scope: group, limit } });
      expect(await rows(`${user}-b`)).toEqual([]);
      expect(await reserve(call([{ scope: `${user}-b` }]))).toEqual({});
    });

    it('counts what calls under way are about to take: many at once overshoot by one at most', async () => {
      const bounds = [{ scope: user, tokens: 25 }];
      const answers = await Promise.all(Array.from({ length: 10 }, () => reserve(call(bounds))));
      expect(answers.filter(({ refused }) => !refused)).toHaveLength(3);
    });

    it('counts large sums exactly', async () => {
      const money = 3_000_000_000_000_001;
      for (const id of [1, 2]) {
        await ledger.settle(call([{ scope: user }], { id: `${user} ${id}` }), usage({ input: id, money }));
      }
      expect(await rows(user)).toMatchObject([{ input: 3, money: 2 * money }]);
    });

    it('warns each user once a day and limit', async () => {
      const bounds = (who: string) => [
        { scope: who, tokens: 100 },
        { scope: group, tokens: 1000, money: 10 },
      ];
      const first = call(bounds(user), { estimate: { tokens: 0, money: 0 } });
      expect(await reserve(first)).toEqual({});
      await ledger.settle(first, usage({ input: 80, money: 9 }));
      const free = () => call(bounds(user), { estimate: { tokens: 0, money: 0 } });
      expect(await reserve(free())).toEqual({ warning: { scope: user, limit: 'tokens', spent: 0.8 } });
      expect(await reserve(free())).toEqual({ warning: { scope: group, limit: 'money', spent: 0.9 } });
      expect(await reserve(free())).toEqual({});
      const other = call(bounds(`${user}-b`), { estimate: { tokens: 0, money: 0 } });
      expect(await reserve(other)).toEqual({ warning: { scope: group, limit: 'money', spent: 0.9 } });
    });
  });
}
