import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportedMetrics } from '../../tests/observability/exported.ts';
import { help } from '../help.ts';
import { root } from '../toolchain.mjs';
import { inDocument, metricsTable } from './table.ts';

help(`npm run check:metrics [-- --write]

Holds the table of metrics in docs/operations.md against what the services declare.

  --write   brings it up to date`);

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
