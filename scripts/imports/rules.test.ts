import { expect, test } from 'vitest';
import { referencesOf } from './references.ts';
import { faultsOf, manifestFaults } from './rules.ts';

function check(name: string, path: string, source: string, declared: string[] = []): string[] {
  const lines = source.split('\n').length;
  return faultsOf({
    package: name,
    path,
    lines,
    references: referencesOf(path, source),
    declared: new Set(declared),
  });
}

test.each([
  ['gateway', 'src/main.ts', `import { nats } from '@tandem/cluster';`],
  ['worker', 'src/host/host.ts', `import { decide } from '@tandem/agent';`],
  ['standalone', 'src/main.ts', `import { startGateway } from '@tandem/gateway';`],
  ['actor-core', 'src/a/b.ts', `import { c } from '../c.ts'; import 'node:fs';`],
  ['platform', 'src/config/read.ts', `export const home = process.env.HOME;`],
  ['client', 'src/chat.ts', `const { env } = process;`],
  ['errors', 'src/a.ts', `// import '@tandem/cluster'; process.env\nexport const text = "process.env";`],
])('%s %s may: %s', (name, path, source) => {
  expect(check(name, path, source)).toEqual([]);
});

test.each([
  ['gateway', 'src/relay/relay.ts', `import { nats } from '@tandem/cluster';`, 'may import'],
  [
    'errors',
    'src/a.ts',
    `import type { Config } from '@tandem/platform';`,
    'errors may import @tandem/proto',
  ],
  ['proto', 'src/a.ts', `export * from '@tandem/errors';`, 'no other package'],
  ['agent', 'src/a.ts', `const m = await import('@tandem/models');`, 'may import'],
  ['agent', 'src/a.ts', `let m: import('@tandem/models').Model;`, 'may import'],
  ['worker', 'src/a.ts', `import { a } from '@tandem/agent/src/a.ts';`, 'by their name only'],
  ['worker', 'src/a.ts', `import { a } from '../../../packages/agent/src/a.ts';`, 'outside its package'],
  ['models', 'src/a.ts', `import { z } from 'zod/v4';`, 'imports zod, which its package.json does not list'],
  ['gateway', 'src/a.ts', `const port = process.env.PORT;`, 'reads process.env'],
  ['gateway', 'src/a.ts', `const port = process['env'].PORT;`, 'reads process.env'],
  ['gateway', 'src/a.ts', `const { env } = process;`, 'reads process.env'],
  ['gateway', 'src/a.ts', `import { env } from 'node:process';`, 'reads process.env'],
  ['gateway', 'src/a.ts', `export const a = 1;\n`.repeat(301), 'split it'],
  ['gateway', 'src/a.ts', `const = 1;`, 'does not parse'],
])('%s %s may not: %.60s', (name, path, source, reason) => {
  const faults = check(name, path, source);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(reason);
});

test('a declared external package may be imported by any of its paths', () => {
  expect(
    check('models', 'src/a.ts', `import { z } from 'zod/v4'; import '@ai-sdk/openai/internal';`, [
      'zod',
      '@ai-sdk/openai',
    ]),
  ).toEqual([]);
});

test('a manifest may list what the package may import, and for a service what its main file may', () => {
  expect(manifestFaults('gateway', ['cluster', 'proto'])).toEqual([]);
  expect(manifestFaults('client', ['proto', 'agent'])).toEqual([
    'depends on @tandem/agent, which client may not import',
  ]);
});
