import type { AssemblerOptions, Message } from '../parts/assembler.ts';
import type { Clock, Entropy } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

/** What a follower tells. */
export interface FollowHandler {
  /**
   * The subject's next message: each once, in order, none left out. While a returned promise is pending nothing more
   * comes, and the follower holds a bounded number of bytes; it reads on from the log then. If it throws or rejects,
   * the follower ends, since going on would break the order.
   */
  message(message: Message): void | Promise<void>;
  /** Something did not work. `ended`: the follower is closed; otherwise it keeps trying. */
  failed?(error: unknown, ended: boolean): void;
}

export interface FollowOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** Without it, no wait before a further try is random. */
  readonly entropy?: Pick<Entropy, 'random'>;
  /** How messages are put together; a journal's follower passes `voids`. */
  readonly assembly?: AssemblerOptions;
  /** Something is stored already, as far as the caller knows: it is read at once, beside asking how far the log reaches. */
  readonly backlogLikely?: boolean;
  /** Most bytes of live records that wait while the log is read or the handler is busy; 64 KiB unless told. */
  readonly maxBufferedBytes?: number;
}

export interface Follower {
  /** The last record that was read; behind it nothing was. With parts outstanding, that message has not been told yet. */
  readonly position: number;
  /** Where a follower that takes over from this one must start (`after`): before the first incomplete message. */
  readonly resumeAfter: number;
  /** Settles when everything that the leader had at the start was told, or the follower was closed. Never rejects. */
  readonly caughtUp: Promise<void>;
  /** Someone knows that the log reaches `sequence`: if the follower is behind, it reads on. */
  expect(sequence: number): void;
  /** Asks the leader for the last record and reads up to it. Settles when that was told, or the follower was closed. Never rejects. */
  verify(): Promise<void>;
  /** Nothing is told any more; the subscription is given up. */
  close(): void;
}
