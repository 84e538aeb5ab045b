import type { Clock } from '@tandem/actor-core';

/** What a promise gives, or `otherwise` when it takes longer than `ms`. */
export function within<T>(clock: Clock, ms: number, promise: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => resolve(otherwise));
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}
