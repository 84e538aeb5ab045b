// Checks every package and service against the rules in imports/: who may import whom, who may read the environment,
// how long a file may be. Prints each fault and exits with 1 when there is one.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { referencesOf } from './imports/references.ts';
import { faultsOf, manifestFaults } from './imports/rules.ts';
import { MAY_IMPORT } from './imports/table.ts';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const root = dirname(import.meta.dirname);
const rootManifest = manifestOf(root);
const faults: string[] = [];
let files = 0;

for (const directory of globSync(['packages/*', 'services/*'], { cwd: root }).sort()) {
  if (!existsSync(join(root, directory, 'package.json'))) continue;
  checkPackage(join(root, directory), slashes(directory));
}
for (const fault of faults) console.error(fault);
console.error(`${files} files checked, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;

function checkPackage(home: string, directory: string): void {
  const manifest = manifestOf(home);
  const name = manifest.name.replace('@tandem/', '');
  if (!(name in MAY_IMPORT)) faults.push(`${directory}: ${name} is missing in scripts/imports/table.ts`);
  const dependencies = Object.keys(manifest.dependencies ?? {});
  const ours = dependencies.filter((other) => other.startsWith('@tandem/')).map((other) => other.slice(8));
  for (const fault of manifestFaults(name, ours)) faults.push(`${directory}/package.json ${fault}`);

  const runtime = new Set(dependencies);
  const everything = new Set([...dependencies, ...developmentOf(manifest), ...developmentOf(rootManifest)]);
  for (const found of globSync('src/**/*.{ts,js,mjs}', { cwd: home }).sort()) {
    const path = slashes(found);
    const source = readFileSync(join(home, found), 'utf8');
    const declared = /\.test\.ts$/.test(path) ? everything : runtime;
    const references = referencesOf(path, source);
    const lines = source.trimEnd().split('\n').length;
    for (const fault of faultsOf({ package: name, path, lines, references, declared })) {
      faults.push(`${directory}/${path} ${fault}`);
    }
    files += 1;
  }
}

function manifestOf(home: string): Manifest {
  return JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
}

function developmentOf(manifest: Manifest): string[] {
  return Object.keys(manifest.devDependencies ?? {});
}

function slashes(path: string): string {
  return path.split(sep).join('/');
}
