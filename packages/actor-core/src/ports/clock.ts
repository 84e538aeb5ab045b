import { randomFillSync } from 'node:crypto';
import type { Clock, Timer } from '@tandem/errors';

export type { Clock, Timer };

/** Identifiers and randomness; a test passes a seeded one. */
export interface Entropy {
  /** A fresh identifier, unique over all processes, of `[A-Za-z0-9_-]`. */
  id(): string;
  /** Uniform in [0, 1). */
  random(): number;
}

/** The machine's clock. `after(0)` runs as soon as the event loop comes round. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    if (ms <= 0) {
      const immediate = setImmediate(run);
      return { cancel: () => clearImmediate(immediate) };
    }
    const timeout = setTimeout(run, ms);
    return { cancel: () => clearTimeout(timeout) };
  },
};

const ID_BYTES = 16;
/** Ids are cut from a pool: asking the system for each would be the dearest part of an append. */
const pool = Buffer.allocUnsafeSlow(ID_BYTES * 256);
let used = pool.length;

function nextId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('base64url', used - ID_BYTES, used);
}

/** The machine's randomness. */
export const systemEntropy: Entropy = {
  id: nextId,
  random: () => Math.random(),
};
