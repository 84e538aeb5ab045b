import type { Clock } from '@tandem/errors';

export type { Clock } from '@tandem/errors';

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Calls `run` every `ms` until cancelled. */
export function every(clock: Clock, ms: number, run: () => void): { cancel(): void } {
  let timer = clock.after(ms, tick);
  function tick() {
    timer = clock.after(ms, tick);
    run();
  }
  return { cancel: () => timer.cancel() };
}
