// `npm run simulate`; see --help.
import { availableParallelism } from 'node:os';
import { readArguments } from '@tandem/test-support/command';
import { tryMutations } from './mutations/try-mutations.ts';
import { Report } from './run/report.ts';
import { runSeed, type SeedResult } from './run/run-seed.ts';
import { runSeeds } from './run/run-seeds.ts';

/** One seed in so many is run twice, to see that it replays exactly. */
const TWICE_EVERY = 50;

const { values } = readArguments({
  call: 'npm run simulate --',
  about: `Runs clients, gateways and workers on simulated engines and virtual time, a seed a run, and looks for violations of what is
promised (docs/protocol.md). Exits with 1 when there is one.`,
  flags: {
    seeds: { type: 'string', default: '1000', value: 'N', about: 'how many seeds' },
    from: { type: 'string', default: '1', value: 'S', about: 'the first of them' },
    seed: { type: 'string', value: 'S', about: 'one seed, with its history' },
    mutations: {
      type: 'boolean',
      default: false,
      about: 'breaks the product on purpose, one mechanism at a time, and tells which seed notices',
    },
    only: {
      type: 'string',
      default: '',
      value: 'TEXT',
      about: 'with --mutations: whose name contains the text',
    },
    threads: {
      type: 'string',
      default: String(availableParallelism()),
      value: 'N',
      about: 'runs at a time, as many as there are processors unless told',
    },
    json: { type: 'boolean', default: false, about: 'the result as JSON on the last line' },
  },
});

const count = Number(values.seeds);
const from = Number(values.from);
const threads = Number(values.threads);
if (values.seed !== undefined) await replay(Number(values.seed));
else if (values.mutations) await mutations();
else await many();

async function many(): Promise<void> {
  const startedAt = performance.now();
  const report = new Report();
  const twice = new Map<number, string>();
  await runSeeds({
    from,
    count,
    threads,
    onResult: (result) => {
      report.add(result);
      if (result.seed % TWICE_EVERY === 0) twice.set(result.seed, result.digest);
      if (result.violations.length > 0) tell(result);
      if (report.seeds % 1000 === 0) console.log(`${report.seeds} seeds, ${report.failed.length} failed`);
      return true;
    },
  });
  const diverged = await replayAll(twice);
  for (const seed of diverged) console.log(`seed ${seed}: two runs differ`);
  for (const name of report.missing) console.log(`never happened: ${name}`);
  const first = report.failed.toSorted((a, b) => a.seed - b.seed)[0];
  if (first) await replay(first.seed);
  const seconds = (performance.now() - startedAt) / 1000;
  const ok = report.failed.length === 0 && diverged.length === 0 && report.missing.length === 0;
  const result = {
    ok,
    seeds: report.seeds,
    from,
    failed: report.failed.map(({ seed }) => seed).sort((a, b) => a - b),
    diverged,
    missing: report.missing,
    seconds: Math.round(seconds),
    seedsPerSecond: Math.round(report.seeds / seconds),
    counts: Object.fromEntries(Object.entries(report.counts).sort(([a], [b]) => a.localeCompare(b))),
  };
  if (values.json) console.log(JSON.stringify(result));
  else console.log(result);
  process.exitCode = ok ? 0 : 1;
}

async function replayAll(digests: ReadonlyMap<number, string>): Promise<number[]> {
  const diverged: number[] = [];
  for (const [seed, digest] of digests) {
    if ((await runSeed(seed)).digest !== digest) diverged.push(seed);
  }
  return diverged;
}

async function replay(seed: number): Promise<void> {
  const result = await runSeed(seed, { keepHistory: true });
  console.log(result.history.join('\n'));
  tell(result);
  if (values.json && values.seed !== undefined) {
    const { violations, digest, counts } = result;
    console.log(JSON.stringify({ ok: violations.length === 0, seed, violations, digest, counts }));
  }
  process.exitCode = result.violations.length > 0 ? 1 : 0;
}

function tell({ seed, violations, digest }: SeedResult): void {
  console.log(`seed ${seed} (${digest}): ${violations.length === 0 ? 'no violation' : ''}`);
  for (const { check, what } of violations.slice(0, 20)) console.log(`  ${check}: ${what}`);
  if (violations.length > 0) console.log(`  again: npm run simulate -- --seed ${seed}`);
}

async function mutations(): Promise<void> {
  const table = await tryMutations({ from, count, threads, only: values.only });
  const ok = table.every(({ seed }) => seed !== undefined);
  if (values.json) console.log(JSON.stringify({ ok, mutations: table }));
  process.exitCode = ok ? 0 : 1;
}
