import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Leases } from '../src/ports/leases.ts';
import type { Opened } from './opened.ts';

const LONG_MS = 10_000;

/** What every keeper of leases must do. */
export function leasesContract(name: string, open: () => Promise<Opened<Leases>>): void {
  describe(`${name} as leases`, () => {
    let leases: Leases;
    let close: () => Promise<void>;

    beforeAll(async () => {
      ({ port: leases, close } = await open());
    });
    afterAll(() => close());

    it('gives a lease to one holder at a time, and again to the same', async () => {
      const name = randomUUID();
      expect(await leases.acquire(name, 'a', LONG_MS)).toBe(true);
      expect(await leases.acquire(name, 'b', LONG_MS)).toBe(false);
      expect(await leases.acquire(name, 'a', LONG_MS)).toBe(true);
      expect(await leases.acquire(randomUUID(), 'b', LONG_MS)).toBe(true);
    });

    it('gives it to one of many who ask at once', async () => {
      const name = randomUUID();
      const holders = Array.from({ length: 10 }, (_, number) => `h${number}`);
      const given = await Promise.all(holders.map((holder) => leases.acquire(name, holder, LONG_MS)));
      expect(given.filter(Boolean)).toHaveLength(1);
    });

    it('is free again once released by its holder, and by nobody else', async () => {
      const name = randomUUID();
      await leases.acquire(name, 'a', LONG_MS);
      await leases.release(name, 'b');
      expect(await leases.acquire(name, 'b', LONG_MS)).toBe(false);
      await leases.release(name, 'a');
      expect(await leases.acquire(name, 'b', LONG_MS)).toBe(true);
      await leases.release(randomUUID(), 'a');
    });

    it('expires', async () => {
      const name = randomUUID();
      await leases.acquire(name, 'a', 30);
      await expect.poll(() => leases.acquire(name, 'b', LONG_MS)).toBe(true);
      expect(await leases.renew([name], 'a', LONG_MS)).toEqual(new Map([[name, 'lost']]));
    });

    it('renews many, and says of each how it stands', async () => {
      const [mine, theirs, nobodys] = [randomUUID(), randomUUID(), randomUUID()];
      await leases.acquire(mine, 'a', LONG_MS);
      await leases.acquire(theirs, 'b', LONG_MS);
      const states = await leases.renew([mine, theirs, nobodys], 'a', LONG_MS);
      expect(Object.fromEntries(states)).toEqual({ [mine]: 'held', [theirs]: 'lost', [nobodys]: 'missing' });
      expect(await leases.acquire(nobodys, 'b', LONG_MS)).toBe(true);
      expect(await leases.renew([], 'a', LONG_MS)).toEqual(new Map());
      const names = Array.from({ length: 1500 }, () => randomUUID());
      const many = await leases.renew(names, 'a', LONG_MS);
      expect([...many.keys()]).toEqual(names);
      expect(new Set(many.values())).toEqual(new Set(['missing']));
    });

    it('lasts longer when renewed', async () => {
      const [short, long] = [randomUUID(), randomUUID()];
      await leases.acquire(short, 'a', 500);
      await leases.acquire(long, 'a', 500);
      await leases.renew([long], 'a', LONG_MS);
      await expect.poll(() => leases.acquire(short, 'b', LONG_MS), { timeout: 5000 }).toBe(true);
      expect(await leases.acquire(long, 'b', LONG_MS)).toBe(false);
    });
  });
}
