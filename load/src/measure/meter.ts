import { percentile } from './percentile.ts';

/** What is measured while a scenario runs. */
export interface Meter {
  /** Adds to a count. */
  count(name: string, by?: number): void;
  /** Adds a duration, milliseconds. */
  time(name: string, ms: number): void;
  /** Says why something failed; some of these are kept, for people. */
  fault(what: string): void;
}

const FAULTS_KEPT = 10;

/** A meter that keeps it all in memory. */
export class MemoryMeter implements Meter {
  readonly #counts = new Map<string, number>();
  readonly #times = new Map<string, number[]>();
  readonly faults: string[] = [];

  count(name: string, by = 1): void {
    this.#counts.set(name, this.total(name) + by);
  }

  time(name: string, ms: number): void {
    const times = this.#times.get(name);
    if (times) times.push(ms);
    else this.#times.set(name, [ms]);
  }

  fault(what: string): void {
    if (this.faults.length < FAULTS_KEPT) this.faults.push(what);
  }

  /** A count so far; 0 of what was never counted. */
  total(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** The duration that a share `p` of them does not exceed; NaN when there was none. */
  percentile(name: string, p: number): number {
    return percentile(this.#times.get(name) ?? [], p);
  }
}
