/** Time as the client sees it; a test passes its own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs once after `ms`, unless cancelled before. */
  after(ms: number, run: () => void): { cancel(): void };
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Resolves after `ms`. @throws the signal's reason when it aborts first */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Calls `run` every `ms` until cancelled. */
export function every(clock: Clock, ms: number, run: () => void): { cancel(): void } {
  let timer = clock.after(ms, tick);
  function tick() {
    timer = clock.after(ms, tick);
    run();
  }
  return { cancel: () => timer.cancel() };
}
