/** A timer that has not fired can be cancelled; cancelling one that has is harmless. */
export interface Timer {
  cancel(): void;
}

/** Time as the runtime sees it; a test passes a virtual one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  after(ms: number, run: () => void): Timer;
}

/** Identifiers and randomness; a test passes a seeded one. */
export interface Entropy {
  /** A fresh identifier, unique over all processes, of `[A-Za-z0-9_-]`. */
  id(): string;
  /** Uniform in [0, 1). */
  random(): number;
}
