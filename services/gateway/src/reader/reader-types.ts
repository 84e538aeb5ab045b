import type { Clock, Dispatcher, Entropy, Log, Signals, TurnKey } from '@tandem/actor-core';
import type { ReaderTimings } from './timings.ts';

export interface ReaderDeps {
  readonly log: Log;
  readonly signals: Signals;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly observer?: ReaderObserver;
  readonly timings?: ReaderTimings;
}

export interface ReaderRequest {
  readonly key: TurnKey;
  readonly requestId: string;
  /** How many frames of this request the client has already, heartbeats not counted. */
  readonly received?: number;
  readonly acceptsGzip: boolean;
  /** Nothing stands between gateway and client that could hold bytes back. */
  readonly trusted: boolean;
}

/** How a reader ended: `completed` with the turn's EndStream, `drained` by its gateway, `closed` by its client. */
export type ReaderEnd = 'completed' | 'drained' | 'closed' | 'stuck' | 'failed';

/** What is worth measuring of a reader. All times in milliseconds. */
export interface ReaderObserver {
  /** Behind the reader's start. */
  firstFrame?(ms: number): void;
  frames?(count: number, bytes: number): void;
  /** From when a worker made an entry until its frames were handed to the client's socket; not told of stored ones. */
  relayed?(ms: number): void;
  heartbeat?(): void;
  /** The reader was given a part of the journal that was stored before. */
  replayed?(): void;
  /** The client did not take what was sent, for a second or longer. */
  slow?(): void;
  /** The turn was dispatched again for want of a pulse. */
  redispatched?(): void;
  /** Something failed that the reader lives with, or dies of. */
  fault?(error: unknown): void;
  ended?(end: ReaderEnd): void;
}

/** Where a reader writes to: the response of one client. None of its promises rejects. */
export interface Sink {
  /** Takes bytes. Gives a promise when they pile up; it settles once there is room, or the client is gone. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Whether everything written left this process (false: the client went first). */
  flushed(): Promise<boolean>;
  /**
   * Ends the response.
   * @param confirm whether to find out, if the transport can, that the client took everything
   * @returns whether it is known to have
   */
  end(confirm: boolean): Promise<boolean>;
  /** Drops a client that does not take what it is sent. */
  destroy(): void;
}
