import { randomBytes } from 'node:crypto';
import type { Clock, Entropy } from '../ports/clock.ts';

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

/** The machine's randomness. */
export const systemEntropy: Entropy = {
  id: () => randomBytes(16).toString('base64url'),
  random: () => Math.random(),
};
