import { checkRun } from '../checks/check-run.ts';
import type { Violation } from '../checks/violation.ts';
import { simulate } from './simulate.ts';

/** What is told of a seed. */
export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Of its history: equal for two runs of the same seed. */
  readonly digest: string;
  /** How often things happened. */
  readonly counts: Readonly<Record<string, number>>;
  /** Only where it was asked for. */
  readonly history: readonly string[];
}

/** Runs a seed and looks for violations. */
export async function runSeed(seed: number, options: { keepHistory?: boolean } = {}): Promise<SeedResult> {
  const run = await simulate(seed, options);
  const violations = checkRun(run);
  const { history } = run.world;
  return {
    seed,
    violations,
    digest: history.digest(),
    counts: Object.fromEntries(history.counts),
    history: history.lines,
  };
}
