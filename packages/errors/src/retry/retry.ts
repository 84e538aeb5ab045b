import { TandemError } from '../tandem-error.ts';
import { Backoff, type BackoffOptions } from './backoff.ts';

export interface RetryOptions extends BackoffOptions {
  /** Waits before a further try, in place of `Backoff.wait`; false: there is none. */
  readonly wait?: (backoff: Backoff) => Promise<boolean>;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
  /** Whether a failure may pass; by its reason unless told. */
  readonly worthRetrying?: (error: unknown) => boolean;
  /** Told of each failure that is not thrown at once. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Tries until it works. The first try costs no more than a call.
 * @throws the last failure when it will not pass or the bounds are reached; the signal's reason when it is aborted
 */
export async function retry<Result>(run: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  let backoff: Backoff | undefined;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const { worthRetrying = isRetryable, onFailure, wait, signal } = options;
      if (!worthRetrying(error)) throw error;
      onFailure?.(error);
      backoff ??= new Backoff(options);
      if (!(await (wait?.(backoff) ?? backoff.wait(signal)))) throw error;
    }
  }
}

/** Whether a failure may pass, by its reason. */
function isRetryable(error: unknown): boolean {
  return TandemError.isInstance(error) && error.retryable;
}
