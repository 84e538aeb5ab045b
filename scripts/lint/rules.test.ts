import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../toolchain.mjs';

const MANIFEST =
  '{ "dependencies": { "@tandem/cluster": "*", "@tandem/errors": "*" }, "devDependencies": { "dev": "*" } }';

/** The rules that files break, each as `path: rule`, by Biome with this repository's configuration. */
function broken(files: Readonly<Record<string, string>>): string[] {
  const home = mkdtempSync(join(tmpdir(), 'tandem-lint-'));
  try {
    for (const path of ['biome.jsonc', '.gitignore', 'scripts/lint'])
      cpSync(join(root, path), join(home, path), { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    const args = ['lint', '--reporter=json', '--max-diagnostics=none', '--diagnostic-level=error'];
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/biome'), args, {
      cwd: home,
      encoding: 'utf8',
    });
    const found: { category: string; location: { path: string } }[] = JSON.parse(stdout).diagnostics;
    return found.map(({ category, location }) => `${location.path}: ${category.split('/').at(-1)}`).sort();
  } finally {
    rmSync(home, { recursive: true });
  }
}

test('what the rules allow', () => {
  expect(
    broken({
      'services/gateway/package.json': MANIFEST,
      'services/gateway/src/main.ts': `import '@tandem/cluster';\nimport '@tandem/errors/x';\nprocess.env.X;\n`,
      'services/gateway/src/a.test.ts': `import 'vitest';\nimport 'dev';\n`,
      'packages/platform/src/a.ts': 'const { env } = process;\nenv.X;\n',
    }),
  ).toEqual([]);
});

const IN_GATEWAY = {
  'adapter.ts': [`import '@tandem/cluster';`, 'noRestrictedImports'],
  'circle-a.ts': [`export type { B } from './circle-b.ts';\nexport type A = 1;`, 'noImportCycles'],
  'circle-b.ts': [`import type { A } from './circle-a.ts';\nexport type B = A;`, 'noImportCycles'],
  'dynamic.ts': [`await import('@tandem/cluster');`, 'noRestrictedImports'],
  'env-destructured.ts': ['const { env } = process;\nenv.X;', 'plugin'],
  'env-imported.ts': [`import { env } from 'node:process';\nenv.X;`, 'noProcessEnv'],
  'env.ts': ['process.env.X;', 'noProcessEnv'],
  'import-type.ts': [`export type A = import('./adapter.ts').A;`, 'plugin'],
  'long.ts': ['export {};\n'.repeat(301), 'noExcessiveLinesPerFile'],
  'not-for-tests.ts': [`import 'dev';`, 'noUndeclaredDependencies'],
  'undeclared.ts': [`import 'zod/v4';`, 'noUndeclaredDependencies'],
} as const;

test('what the rules forbid', () => {
  const names = Object.keys(IN_GATEWAY).map((name) => `services/gateway/src/${name}`);
  const files = Object.values(IN_GATEWAY).map(([text], index) => [names[index], `${text}\n`]);
  const expected = Object.values(IN_GATEWAY).map(([, rule], index) => `${names[index]}: ${rule}`);
  expect(
    broken({
      ...Object.fromEntries(files),
      'services/gateway/package.json': MANIFEST,
      'packages/new/package.json': MANIFEST,
      'packages/new/src/a.ts': `import '@tandem/errors';\n`,
    }),
  ).toEqual(['packages/new/src/a.ts: noRestrictedImports', ...expected]);
});
