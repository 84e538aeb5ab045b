import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { root } from '../toolchain.mjs';
import { chartReadme } from './readme.ts';
import { type Combination, chart } from './render.ts';
import { describe, readValues } from './values/described.ts';
import { valuesSchema } from './values/schema.ts';

/** Files of the chart that are copied from elsewhere, since Helm reads nothing outside a chart. */
const COPIES = [
  { from: 'deploy/grafana/*.json', to: 'files/dashboards' },
  { from: 'deploy/prometheus/*.yml', to: 'files/prometheus' },
];

/** Compares the chart's generated files with what they should be. @returns the faults */
export function generatedFaults(all: readonly Combination[]): string[] {
  const wanted = generated(all);
  const stale = [...wanted].filter(
    ([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text,
  );
  const names = [...stale.map(([path]) => path), ...leftOver(wanted)].map((path) => relative(root, path));
  return names.map((name) => `${name} is out of date: run npm run check:helm -- --write`);
}

/** Writes the chart's generated files. */
export function writeGenerated(all: readonly Combination[]): void {
  const wanted = generated(all);
  for (const [path, text] of wanted) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  for (const path of leftOver(wanted)) rmSync(path);
}

function generated(all: readonly Combination[]): Map<string, string> {
  const values = readValues(readFileSync(join(chart, 'values.yaml'), 'utf8'));
  const files = new Map([
    [join(chart, 'values.schema.json'), `${JSON.stringify(describe(valuesSchema(), values), null, 2)}\n`],
    [join(chart, 'README.md'), chartReadme(values, all)],
  ]);
  for (const { from, to } of COPIES) {
    for (const path of globSync(from, { cwd: root })) {
      files.set(join(chart, to, basename(path)), readFileSync(join(root, path), 'utf8'));
    }
  }
  return files;
}

function leftOver(wanted: ReadonlyMap<string, string>): string[] {
  return COPIES.flatMap(({ from, to }) => globSync(join(chart, to, basename(from)))).filter(
    (path) => !wanted.has(path),
  );
}
