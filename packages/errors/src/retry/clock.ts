/** A timer that has not fired can be cancelled; cancelling one that has is harmless. */
export interface Timer {
  cancel(): void;
}

/** Time, passed in so that a test may pass a virtual one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  after(ms: number, run: () => void): Timer;
}

/** A wait that may be cut short. */
export interface Pause {
  /** Resolves when the time has passed, or with the cut. */
  readonly over: Promise<void>;
  cut(): void;
}

/** Waits for some milliseconds, or until it is cut short. */
export function pause(clock: Pick<Clock, 'after'>, ms: number): Pause {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(ms, resolve);
  return {
    over: promise,
    cut: () => {
      timer.cancel();
      resolve();
    },
  };
}

/** Waits for some milliseconds. @throws the signal's reason when it is aborted before */
export async function sleep(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { over, cut } = pause(clock, ms);
  signal?.addEventListener('abort', cut, { once: true });
  await over;
  signal?.removeEventListener('abort', cut);
  signal?.throwIfAborted();
}
