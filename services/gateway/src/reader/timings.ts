import type { Clock } from '@tandem/actor-core';

/** How patient a reader is. Milliseconds. */
export interface ReaderTimings {
  /** How often a reader looks whether something is due. */
  readonly tickMs: number;
  /** A heartbeat frame after so much silence: clients cut a stream without a frame for 30 s (docs/protocol.md, 5). */
  readonly heartbeatMs: number;
  /** The turn's life (a pulse, its place in the queue, an entry) must have been seen within this time. */
  readonly aliveMs: number;
  /** A pulse after more than this is of an actor that may not know of the reader. */
  readonly silentMs: number;
  /** Without a pulse for so long, the turn is dispatched again. */
  readonly dispatchAfterMs: number;
  /** Without a pulse for so long, the journal's leader is asked. */
  readonly verifyAfterMs: number;
  /** How often either is done again. */
  readonly repeatMs: number;
  /** A request of which the journal knows nothing for so long is not found. */
  readonly openWithinMs: number;
  /** Without a pulse or an entry for so long, a place in the queue is no sign of life either. */
  readonly queueMs: number;
  /** How often the reader is announced to the actor. */
  readonly presenceMs: number;
  /** A client that takes nothing for so long is dropped. */
  readonly stuckMs: number;
  /** How long notices are tried for. */
  readonly noticeMs: number;
  /** How long the end of a response may wait for its notice, or for the client to take what was written. */
  readonly finishMs: number;
}

export const READER_TIMINGS: ReaderTimings = {
  tickMs: 1_000,
  heartbeatMs: 5_000,
  aliveMs: 30_000,
  silentMs: 2_700,
  dispatchAfterMs: 3_000,
  verifyAfterMs: 6_000,
  repeatMs: 6_000,
  openWithinMs: 120_000,
  queueMs: 300_000,
  presenceMs: 5_000,
  stuckMs: 300_000,
  noticeMs: 30_000,
  finishMs: 2_000,
};

/** What a promise gives, or `otherwise` when it takes longer than `ms`. */
export function within<T>(clock: Clock, ms: number, promise: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => resolve(otherwise));
    promise.then(resolve, reject).finally(() => timer.cancel());
  });
}
