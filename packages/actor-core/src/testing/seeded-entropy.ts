import type { Entropy } from '../ports/clock.ts';

/** The same numbers and ids for the same seed; ids of different seeds differ. */
export function seededEntropy(seed: number): Entropy {
  let state = seed >>> 0;
  let ids = 0;
  return {
    id: () => `${(seed >>> 0).toString(36)}-${(ids++).toString(36)}`,
    // A Weyl sequence through a finaliser of 32 bits: short, and good enough to choose among events.
    random() {
      state = (state + 0x9e3779b9) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
      mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
      return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
    },
  };
}
