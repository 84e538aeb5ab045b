export type { Clock, Timer } from '@tandem/errors';

/** Identifiers and randomness; a test passes a seeded one. */
export interface Entropy {
  /** A fresh identifier, unique over all processes, of `[A-Za-z0-9_-]`. */
  id(): string;
  /** Uniform in [0, 1). */
  random(): number;
}
