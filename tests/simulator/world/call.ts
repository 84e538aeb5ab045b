import type { Network } from './network.ts';
import type { Party, Process } from './process.ts';

/** An engine as its clients see it. */
export interface Engine extends Party {
  /** What it says to a call at this moment: `deaf` engines say nothing, others may refuse at once. */
  readonly answers: 'yes' | 'refuses' | 'deaf';
}

export interface CallOptions<T> {
  readonly from: Process;
  readonly to: Engine;
  readonly timeoutMs: number;
  /** What the caller learns when no answer comes: whether the call had an effect is unknown. */
  readonly failure: () => Error;
  readonly execute: () => Promise<T>;
  /** The caller's process is killed while the answer is on its way. */
  readonly dieBeforeAnswer?: () => void;
}

/** A request and its answer over the network: either may be lost, late or repeated, the request be carried out twice. */
export function call<T>(net: Network, options: CallOptions<T>): Promise<T> {
  const { from, to, timeoutMs, failure, execute, dieBeforeAnswer } = options;
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (how: () => void) => {
      if (settled) return;
      settled = true;
      timer.cancel();
      how();
    };
    const timer = from.clock.after(timeoutMs, () => settle(() => reject(failure())));
    const answer = (how: () => void) => net.send(to, from, () => settle(how));
    net.send(from, to, () => {
      if (to.answers === 'refuses') answer(() => reject(failure()));
      if (to.answers !== 'yes') return;
      execute().then(
        (value) => {
          answer(() => resolve(value));
          dieBeforeAnswer?.();
        },
        (error) => answer(() => reject(error)),
      );
    });
  });
}
