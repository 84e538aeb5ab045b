import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FuzzedRun } from '../testing/fuzzed-run.ts';
import { seededRandom } from '../testing/mutate.ts';

/** So many steps of one run, most of them a mutated message. */
const STEPS = 60;

it('takes 10,000 mutated messages of live runs without a fault of its own', () => {
  let mutated = 0;
  let malformed = 0;
  const reasons = new Set<string>();
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: STEPS / 2, max: STEPS }), (seed, steps) => {
      const run = new FuzzedRun(seededRandom(seed));
      for (let step = 0; step < steps && !run.turn.end; step++) run.step();
      // What comes too late changes nothing either.
      if (run.turn.end) run.step();
      run.finish();
      mutated += run.mutated;
      malformed += run.malformed;
      const { end } = run.turn;
      expect(end).toBeDefined();
      if (end?.error) {
        reasons.add(end.error.reason);
        expect(end.error.reason).not.toBe('internal');
        expect(end.error.title).toMatch(/\.$/);
      }
      const { process: _, ...folded } = run.turn.fold();
      const { process: __, ...live } = run.turn.state;
      expect(folded).toEqual(live);
    }),
    { numRuns: 1000 },
  );
  expect(mutated).toBeGreaterThan(10_000);
  // Most of them are messages all right, only not those that were waited for.
  expect(malformed).toBeLessThan(mutated / 2);
  expect([...reasons].sort()).toEqual(expect.arrayContaining(['bad_request', 'unsupported']));
}, 240_000);
