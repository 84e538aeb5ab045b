// Makes a clone ready to work: tools, dependencies, generated code. Does only what is missing; safe to run twice at once.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withLock } from './lock.mjs';
import { bin, installToolchain, root, runQuietly, tools } from './toolchain.mjs';

const say = (line) => process.stderr.write(`bootstrap: ${line}\n`);
const pnpm = join(bin, 'pnpm');

/** Brings the clone up to date. Throws with the failing command's output shown. */
export async function bootstrap() {
  await withLock(
    join(tools, 'lock'),
    () => {
      installToolchain(say);
      installDependencies();
      generateCode();
    },
    (pid) => say(`waiting for another bootstrap (process ${pid})`),
  );
}

function installDependencies() {
  const stamp = join(tools, 'installed');
  const wanted = manifestHash();
  const found = existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
  if (found === wanted && existsSync(join(root, 'node_modules', '.modules.yaml'))) return;
  say('installing dependencies');
  runQuietly(pnpm, ['install', '--frozen-lockfile']);
  writeFileSync(stamp, wanted);
}

function generateCode() {
  const manifest = JSON.parse(readFileSync(join(root, 'packages/proto/package.json'), 'utf8'));
  if (manifest.scripts?.generate) runQuietly(pnpm, ['--filter', '@tandem/proto', 'run', 'generate']);
}

/** A hash of all that decides what an install does: the lock file, the workspace file, each package's manifest. */
function manifestHash() {
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'];
  for (const dir of ['tests', 'tests/support', 'examples', 'bench', 'load'])
    files.push(`${dir}/package.json`);
  for (const group of ['packages', 'services']) {
    for (const dir of readdirSync(join(root, group)).sort()) files.push(`${group}/${dir}/package.json`);
  }
  const hash = createHash('sha256');
  for (const file of files) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(`${file}\0${readFileSync(path, 'utf8')}\0`);
  }
  return hash.digest('hex');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  bootstrap().catch((error) => {
    say(error.message);
    process.exitCode = 1;
  });
}
