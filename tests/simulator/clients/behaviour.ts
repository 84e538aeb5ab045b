/** How one client acts in one turn. Times in milliseconds. */
export interface Behaviour {
  /**
   * `official`: any fault ends the attempt, the turn is tried again under a new request id. `reattaching`: repeats failed
   * appends, and opens a broken stream again where it left off.
   */
  readonly kind: 'official' | 'reattaching';
  readonly retries: boolean;
  /** Opens the stream first, else appends first; the other follows after `gapMs`. */
  readonly streamFirst: boolean;
  readonly gapMs: number;
  /** Appends take up to so long to arrive, and a few of them much longer. */
  readonly uploadMs: number;
  readonly slowUploadChance: number;
  readonly slowUploadMs: number;
  /** How long the client takes over each piece of the stream that it reads. */
  readonly readMs: number;
  /** The chance that a proxy sends an append twice. */
  readonly repeatChance: number;
  /** How long an answer to the server takes at most. */
  readonly answerMs: number;
  /** How long a command, or a user who is asked, takes at most. */
  readonly toolMs: number;
  /** The chance of an answer that is none. */
  readonly oddAnswerChance: number;
  /** The chance that a blob is refused (the first time). */
  readonly refuseBlobChance: number;
  /** The chance of an append that repeats a number of before with another content. */
  readonly forgeChance: number;
  /** Extra bytes of the user's message. */
  readonly padding: number;
  readonly sendsBlobKey: boolean;
  /** Drops the connection, as a user who cancels. */
  readonly cancelAfterMs: number | undefined;
}
