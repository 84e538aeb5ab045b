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
