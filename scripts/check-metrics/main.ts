import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Exported, exportedMetrics } from '../../tests/observability/exported.ts';
import { help } from '../help.ts';
import { root } from '../toolchain.mjs';

help(`npm run check:metrics [-- --write]

Holds the table of metrics in docs/operations.md against what the services declare.

  --write   brings it up to date`);

const BEGIN = '<!-- metrics: npm run check:metrics -- --write -->';
const END = '<!-- /metrics -->';

const path = join(root, 'docs/operations.md');
const table = metricsTable([...(await exportedMetrics()).values()]);
const standing = readFileSync(path, 'utf8');
const wanted = inDocument(standing, table);
if (process.argv.includes('--write')) writeFileSync(path, wanted);
else if (standing !== wanted) {
  console.error(
    'The table of metrics in docs/operations.md is out of date: run npm run check:metrics -- --write',
  );
  console.log('0 passed, 1 failed');
  process.exit(1);
}
console.log('1 passed, 0 failed');
process.exit(0);

/** Our own metrics as a table in Markdown, the service's own ones together. */
function metricsTable(all: readonly Exported[]): string {
  const own = all.filter(({ name }) => name.startsWith('tandem_'));
  const rows = own.map(
    ({ name, type, labels, services, help }) =>
      `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${services.join(', ')} | ${help} |`,
  );
  return ['| metric | type | labels | of | what |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

/** The document with this table between the two marks. @throws Error when it has no marks */
function inDocument(document: string, table: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/operations.md has no ${BEGIN} and ${END}`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${document.slice(end)}`;
}
