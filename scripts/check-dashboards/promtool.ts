import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { withoutVariables } from '../prometheus/promql.ts';

/** Runs promtool. @returns what it found wrong */
export function promtoolFaults(promtool: string, args: readonly string[]): string[] {
  const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: 'utf8' });
  return status === 0 ? [] : [`${stdout}${stderr}`.trim()];
}

/** Has promtool parse queries, as rules that record them. */
export function queryFaults(promtool: string, exprs: readonly string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-promtool-'));
  try {
    const rules = exprs.map((expr, index) => ({
      record: `query:number_${index}`,
      expr: withoutVariables(expr),
    }));
    const file = join(folder, 'rules.yml');
    writeFileSync(file, stringify({ groups: [{ name: 'queries', rules }] }));
    return promtoolFaults(promtool, ['check', 'rules', file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
