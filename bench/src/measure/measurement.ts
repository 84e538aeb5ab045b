import type { Rig } from '../rig/rig.ts';

/** What one measurement found: named figures, and how they came about. */
export interface Findings {
  readonly figures: Readonly<Record<string, number>>;
  /** The setting, for people. */
  readonly setting: string;
}

/** One thing that is measured, by itself or with others. */
export interface Measurement {
  readonly name: string;
  run(rig: Rig): Promise<Findings>;
}
