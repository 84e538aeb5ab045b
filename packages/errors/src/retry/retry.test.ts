import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TandemError } from '../tandem-error.ts';
import { backoffMs } from './backoff.ts';
import { type Clock, sleep } from './clock.ts';
import { type RetryOptions, retry } from './retry.ts';

const FAULT = new TandemError('cluster_unavailable');

/** A clock that jumps to the next timer as soon as there is one; `timers` is what still runs. */
function jumpingClock() {
  let now = 0;
  const timers = new Set<() => void>();
  const clock: Clock = {
    now: () => now,
    after(ms, run) {
      const fire = () => {
        if (!timers.delete(fire)) return;
        now += ms;
        run();
      };
      timers.add(fire);
      setImmediate(fire);
      return { cancel: () => timers.delete(fire) };
    },
  };
  return { clock, timers };
}

/** Randomness that a seed repeats. */
function seeded(seed: number) {
  let state = seed;
  return {
    random() {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    },
  };
}

/** When each try began, with the first `failures` of them failing, and how it ended. */
async function tries(options: Omit<RetryOptions, 'clock'>, failures: number, abortAt?: number) {
  const { clock, timers } = jumpingClock();
  const stop = new AbortController();
  const begun: number[] = [];
  const outcome = await retry(
    async () => {
      begun.push(clock.now());
      if (begun.length === abortAt) setImmediate(() => stop.abort('stopped'));
      if (begun.length <= failures) throw FAULT;
      return 'done';
    },
    { ...options, clock, signal: stop.signal },
  ).catch((error: unknown) => error);
  return { begun, outcome, timers: timers.size };
}

const PACES = fc.record({
  firstMs: fc.integer({ min: 1, max: 1000 }),
  maxMs: fc.integer({ min: 1, max: 20_000 }),
  jitter: fc.double({ min: -1, max: 1, noNaN: true }),
});

test('waits double up to the longest, give or take what is random', () => {
  const pace = { firstMs: 50, maxMs: 1000, jitter: 0 };
  expect([1, 2, 3, 4, 5, 6, 60].map((failures) => backoffMs(pace, failures, 0.9))).toEqual([
    50, 100, 200, 400, 800, 1000, 1000,
  ]);
  fc.assert(
    fc.property(
      PACES,
      fc.integer({ min: 1, max: 2000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (p, n, random) => {
        const nominal = backoffMs({ ...p, jitter: 0 }, n, random);
        expect(nominal).toBe(Math.min(p.maxMs, p.firstMs * 2 ** (n - 1)));
        const wait = backoffMs(p, n, random);
        expect(Number.isInteger(wait)).toBe(true);
        expect(Math.abs(wait - nominal)).toBeLessThanOrEqual(Math.ceil(nominal * Math.abs(p.jitter)));
      },
    ),
  );
});

test('any number of failures: tried until it works, within both bounds, and replayed by the seed', async () => {
  await fc.assert(
    fc.asyncProperty(
      PACES,
      fc.nat(8),
      fc.option(fc.nat(8), { nil: undefined }),
      fc.option(fc.nat(5000), { nil: undefined }),
      fc.nat(),
      async (pace, failures, retries, until, seed) => {
        const bounds = { ...(retries !== undefined && { retries }), ...(until !== undefined && { until }) };
        const run = () => tries({ ...pace, ...bounds, entropy: seeded(seed) }, failures);
        const { begun, outcome, timers } = await run();
        expect((await run()).begun).toEqual(begun);
        expect(timers).toBe(0);
        expect(begun.length).toBeLessThanOrEqual(Math.min(failures, retries ?? failures) + 1);
        expect(begun.at(-1)).toBeLessThanOrEqual(until ?? Number.POSITIVE_INFINITY);
        expect(outcome).toBe(begun.length > failures ? 'done' : FAULT);
        if (retries === undefined && until === undefined) expect(outcome).toBe('done');
      },
    ),
    { numRuns: 200 },
  );
});

test('an abort ends the waiting at once, with its reason and no timer left', async () => {
  await fc.assert(
    fc.asyncProperty(PACES, fc.integer({ min: 1, max: 6 }), async (pace, abortAt) => {
      const { begun, outcome, timers } = await tries(pace, 1000, abortAt);
      expect(outcome).toBe('stopped');
      expect(begun.length).toBeLessThanOrEqual(abortAt + 1);
      expect(timers).toBe(0);
    }),
    { numRuns: 50 },
  );
  const { clock, timers } = jumpingClock();
  await expect(sleep(clock, 5, AbortSignal.abort('before'))).rejects.toBe('before');
  expect(timers.size).toBe(0);
});

test('what will not pass is thrown at once; each failure that may is told', async () => {
  const { clock } = jumpingClock();
  const pace = { firstMs: 1, maxMs: 1, clock };
  const bug = new TypeError('bug');
  await expect(retry(() => Promise.reject(bug), pace)).rejects.toBe(bug);
  const told: unknown[] = [];
  const odd = retry(() => Promise.reject(bug), {
    ...pace,
    retries: 2,
    worthRetrying: (error) => error === bug,
    onFailure: (error) => told.push(error),
  });
  await expect(odd).rejects.toBe(bug);
  expect(told).toEqual([bug, bug, bug]);
});

test('the first try takes no more turns of the event loop than an async function that calls it', async () => {
  const { clock } = jumpingClock();
  const options = { clock, firstMs: 1, maxMs: 1 };
  const order: string[] = [];
  const run = async () => {};
  const plain = async () => await run();
  const both = [retry(run, options).then(() => order.push('retry')), plain().then(() => order.push('plain'))];
  await Promise.all(both);
  expect(order).toEqual(['retry', 'plain']);
});
