import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../toolchain.mjs';
import type { Built } from './build.ts';

/** What an image holds that it should not, or lacks. */
export function shippedFaults({ folder, workdir }: Built): string[] {
  const app = join(folder, workdir);
  const faults: string[] = [];
  if (!existsSync(join(app, 'packages/proto/gen/agent.js'))) faults.push('the code of the wire is missing');
  const tests = globSync(['packages/*/src/**/*.test.ts', 'services/*/src/**/*.test.ts'], { cwd: app });
  if (tests.length > 0) faults.push(`holds tests, such as ${tests[0]}`);
  if (existsSync(join(app, '.env'))) faults.push('holds a .env file');
  const shipped = new Set(
    globSync('node_modules/.pnpm/node_modules/{*,@*/*}', { cwd: app }).map((path) =>
      path.replace(/^.*?node_modules\/.pnpm\/node_modules\//, ''),
    ),
  );
  for (const name of developmentOnly())
    if (shipped.has(name)) faults.push(`holds ${name}, which only development needs`);
  return faults;
}

/** Tools of the workspace that no package runs on. */
function developmentOnly(): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const production = new Set(
    globSync(['packages/*/package.json', 'services/*/package.json'], { cwd: root }).flatMap((path) =>
      Object.keys(JSON.parse(readFileSync(join(root, path), 'utf8')).dependencies ?? {}),
    ),
  );
  return Object.keys(manifest.devDependencies).filter(
    (name) => !production.has(name) && !name.startsWith('@types/'),
  );
}
