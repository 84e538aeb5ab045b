import { runSeeds } from '../run/run-seeds.ts';
import { misfitOf } from './mutation.ts';
import { MUTATIONS } from './table.ts';

/** What became of one mutation. */
export interface MutationResult {
  readonly name: string;
  /** The first seed that noticed; undefined: none did. */
  readonly seed: number | undefined;
  /** How many seeds were run. */
  readonly tried: number;
  /** Which check noticed, and what it says. */
  readonly check: string;
  readonly what: string;
}

/** Runs seeds with each mutation until one notices, and prints what did. */
export async function tryMutations(options: {
  from: number;
  count: number;
  threads: number;
  only: string;
}): Promise<MutationResult[]> {
  const { from, count, threads, only } = options;
  const results: MutationResult[] = [];
  for (const mutation of MUTATIONS.filter(({ name }) => name.includes(only))) {
    const misfit = misfitOf(mutation);
    if (misfit) {
      results.push({ name: mutation.name, seed: undefined, tried: 0, check: '', what: misfit });
      console.log(`${mutation.name}: ${misfit}`);
      continue;
    }
    let found: Omit<MutationResult, 'name' | 'tried'> = { seed: undefined, check: '', what: '' };
    const tried = await runSeeds({
      from,
      count,
      threads,
      mutation,
      onResult: ({ seed, violations }) => {
        const [first] = violations;
        if (first && found.seed === undefined) found = { seed, ...first };
        return first === undefined;
      },
    });
    const result = { name: mutation.name, tried, ...found };
    results.push(result);
    console.log(line(result));
  }
  return results;
}

function line({ name, seed, tried, check, what }: MutationResult): string {
  const found = seed === undefined ? `NOT FOUND in ${tried} seeds` : `found by seed ${seed} (${tried} tried)`;
  return `${name.padEnd(58)} ${found.padEnd(34)} ${check} ${what.split('\n')[0]?.slice(0, 120) ?? ''}`.trimEnd();
}
