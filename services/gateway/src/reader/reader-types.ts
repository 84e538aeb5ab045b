import type { Clock, Dispatcher, Entropy, Log, Signals, TurnKey } from '@tandem/actor-core';
import type { ReaderObserver } from './observer.ts';
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
