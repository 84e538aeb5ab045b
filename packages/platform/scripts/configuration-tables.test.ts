import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { CONFIGURATION_TABLES, withTables } from './configuration-tables.ts';

const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');

it('is what docs/configuration.md says (node packages/platform/scripts/write-configuration-tables.ts writes it anew)', () => {
  expect(withTables(page)).toBe(page);
});

it.each(Object.entries(CONFIGURATION_TABLES))('says what each row of the %s table means', (_, render) => {
  expect(
    render()
      .split('\n')
      .filter((line) => / \| (undefined)?\s*\|$/.test(line)),
  ).toEqual([]);
});

it.each([
  ['gateway', 'TANDEM_TOKEN_SECRET_PREVIOUS'],
  ['worker', 'TANDEM_WEB_SEARCH_KEY'],
  ['standalone', 'TANDEM_API_KEY'],
  ['admin', 'TANDEM_AUDIT_LOG'],
])('%s --help prints settings, and not what they are set to', async (service, variable) => {
  const main = fileURLToPath(new URL(`../../../services/${service}/src/main.ts`, import.meta.url));
  const env = { PATH: process.env.PATH, [variable]: 'pl4nted', TANDEM_REDIS_URL: 'redis://me:pl4nted@host' };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, '--help'], { env });
  expect(stdout).toContain(`\n  ${variable} (`);
  expect(stdout + stderr).not.toContain('pl4nted');
});
