import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, normalize, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync, Visitor } from 'oxc-parser';
import { help } from './help.ts';
import { root } from './toolchain.mjs';

help(`npm run -s stats [-- --repo FOLDER] [-- --json]

Counts what says how readable this repository is. Product files are packages/*/src and services/*/src without tests and what is only
for tests (testing/).

  --repo FOLDER   another checkout, with its dependencies installed
  --json          as JSON`);

/** The one place that may try again after a wait. */
const BACK_OFF = /^packages\/errors\/src\/(back-?off|retry)/;
const WAIT = /\b(after|setTimeout|sleep|pause|backoffMs)\(/;
const SMALL = 25;

const { values } = parseArgs({ options: { repo: { type: 'string' }, json: { type: 'boolean' } } });
const repo = resolve(values.repo ?? root);
const textOf = (path: string) => readFileSync(join(repo, path), 'utf8');
const linesOf = (path: string) => textOf(path).trimEnd().split('\n').length;
const total = (paths: readonly string[]) => paths.reduce((sum, path) => sum + linesOf(path), 0);
const glob = (...patterns: string[]) =>
  globSync(patterns, { cwd: repo, exclude: (name) => name === 'node_modules' || name === 'gen' }).sort();

const inPackages = glob('packages/*/{src,contract}/**/*.ts', 'services/*/src/**/*.ts');
const product = inPackages.filter((path) => !/\.test\.ts$|\/testing\/|\/contract\//.test(path));
const tests = [
  ...inPackages.filter((path) => !product.includes(path)),
  ...glob('{tests,scripts,bench,load}/**/*.test.ts', 'tests/**/*.ts'),
];
const byLength = product.map((path) => ({ path, lines: linesOf(path) })).sort((a, b) => a.lines - b.lines);
const longest = byLength.at(-1);
const imports = new Map(product.map((path) => [path, importsOf(path)]));
const circles = product.filter((path) => reachableFrom(path).has(path));
const retries = product.filter((path) => !BACK_OFF.test(path)).flatMap(retriesIn);
const unused = unusedByKnip();

const figures = {
  product_files: product.length,
  product_lines: total(product),
  [`files_below_${SMALL}_lines`]: byLength.filter(({ lines }) => lines < SMALL).length,
  median_lines: byLength[Math.floor(byLength.length / 2)]?.lines,
  longest_lines: longest?.lines,
  longest_file: longest?.path,
  test_lines: total([...new Set(tests)]),
  scripts_lines: total(glob('scripts/**/*.{ts,mts,mjs}')),
  scripts_lines_in_go: total(glob('scripts/**/*.go')),
  unused_files: unused.files,
  unused_exports: unused.exports,
  unused_dependencies: unused.dependencies,
  files_in_import_cycles: circles.length,
  retries_by_hand: retries.length,
  retries_by_hand_at: retries,
};
if (values.json) console.log(JSON.stringify(figures));
else
  for (const [name, figure] of Object.entries(figures))
    console.log(`${name.padEnd(24)} ${[figure].flat().join('\n'.padEnd(26))}`);

/** All files that a file imports, also by way of others, types included. */
function reachableFrom(start: string): Set<string> {
  const found = new Set<string>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const next of imports.get(path) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      waiting.push(next);
    }
  }
  return found;
}

function importsOf(path: string): string[] {
  const { staticImports, staticExports } = parseSync(path, textOf(path)).module;
  const requests = [...staticImports, ...staticExports.flatMap(({ entries }) => entries)];
  return requests.flatMap(({ moduleRequest }) =>
    moduleRequest?.value.startsWith('.') ? [normalize(join(path, '..', moduleRequest.value))] : [],
  );
}

/**
 * Where a file tries again by hand: innermost loops in which something is caught and a time is waited for, that is, which hold
 * both a `catch` clause and a call of a timer by one of the names of {@link WAIT}.
 */
function retriesIn(path: string): string[] {
  const source = textOf(path);
  const catches: number[] = [];
  const loops: { start: number; end: number }[] = [];
  const loop = (node: { start: number; end: number }) => void loops.push(node);
  new Visitor({
    CatchClause: ({ start }) => void catches.push(start),
    ForStatement: loop,
    ForOfStatement: loop,
    WhileStatement: loop,
    DoWhileStatement: loop,
  }).visit(parseSync(path, source).program);
  const within = (at: number, { start, end }: { start: number; end: number }) => at > start && at < end;
  const retrying = loops.filter(
    (one) => catches.some((at) => within(at, one)) && WAIT.test(source.slice(one.start, one.end)),
  );
  const innermost = retrying.filter((one) => !retrying.some(({ start }) => within(start, one)));
  return innermost.map(({ start }) => `${path}:${source.slice(0, start).split('\n').length}`);
}

function unusedByKnip() {
  const args =
    `--directory ${repo} --config ${join(root, 'knip.jsonc')} --reporter json --no-exit-code`.split(' ');
  const done = spawnSync(join(root, 'node_modules/.bin/knip'), args, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (done.status !== 0) throw new Error(`knip: ${done.stdout}${done.stderr}`);
  const { issues }: { issues: Readonly<Record<string, readonly unknown[]>>[] } = JSON.parse(done.stdout);
  const count = (...kinds: string[]) =>
    issues.flatMap((issue) => kinds.flatMap((kind) => issue[kind] ?? [])).length;
  return {
    files: count('files'),
    exports: count('exports', 'types', 'duplicates'),
    dependencies: count('dependencies', 'devDependencies', 'unlisted'),
  };
}
