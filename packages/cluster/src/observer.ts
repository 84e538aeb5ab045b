/** The engines that a cluster stands on. */
export type Engine = 'nats' | 'redis';

interface JobCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
}

/** Told what happens to the connections; for metrics and logs. Every method may be left out. */
export interface ClusterObserver {
  /** A connection was lost. The adapter keeps trying to get it back. */
  disconnected?(engine: Engine): void;
  reconnected?(engine: Engine): void;
  /** A fault that no caller hears of. The error may hold addresses, never contents. */
  fault?(engine: Engine, error: unknown): void;
  /** A turn's handler threw; its job is handed on. */
  handlerFailed?(error: unknown): void;
  /** How full a stream is, 0 to 1; as often as it is asked. */
  fullness?(stream: string, fullness: number): void;
  /** How many jobs a queue holds, every few seconds; of processes that take jobs. */
  jobs?(queue: string, counts: JobCounts): void;
  /** Whether the engines promise all that they could; told once, at start. */
  durable?(durable: boolean): void;
  /** Something at start that an operator should know: what is promised less than it could be. */
  advice?(text: string): void;
}
