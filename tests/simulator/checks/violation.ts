import type { Run } from '../run/simulate.ts';
import type { Logs } from './journals.ts';

/** Something that must never happen, and did. */
export interface Violation {
  /** Which promise it breaks. */
  readonly check: string;
  readonly what: string;
}

/** Looks through a run for one kind of violation. */
export type Check = (run: Run, logs: Logs, report: (what: string) => void) => void;
