// `npm test`: lint, types, import rules and what nothing uses, then every test. Arguments go to Vitest (`npm test -- inbox --project unit`);
// with arguments only the tests run. Exits with 1 when anything failed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reportPath } from './test-report.ts';
import { bin, root, toolEnv } from './toolchain.mjs';

const filters = process.argv.slice(2);
const node = join(bin, 'node');

const checked = filters.length > 0 || run(join(root, 'node_modules/.bin/turbo'), checks());
rmSync(reportPath, { force: true });
mkdirSync(dirname(reportPath), { recursive: true });
const tested = run(node, ['node_modules/vitest/vitest.mjs', 'run', ...reporters(), ...filters]);
if (!checked) console.error('a check before the tests failed: see the top of the output');
process.exitCode = checked && tested ? 0 : 1;

function checks(): string[] {
  const tasks = ['lint', 'typecheck', 'imports', 'unused'];
  return ['run', ...tasks, '--continue', '--output-logs=errors-only', '--log-prefix=none'];
}

function reporters(): string[] {
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`];
}

function run(command: string, args: string[]): boolean {
  const done = spawnSync(command, args, { cwd: root, env: toolEnv(), stdio: 'inherit' });
  if (done.error) console.error(`${command}: ${done.error.message}`);
  return done.status === 0;
}
