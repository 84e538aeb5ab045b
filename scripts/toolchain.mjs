// The tools of the repository: Node and pnpm, fetched by npm into `.tools/`, so that a clone needs nothing but the
// Node (>= 18) and npm it already has. Plain JavaScript without dependencies: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const tools = join(root, '.tools');
export const bin = join(tools, 'bin');

const NODE_VERSION = '24.21.0';
const PNPM_VERSION = '12.21.0';
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** What an outer `npm run` says of itself. */
const OF_NPM =
  /^npm_(package_|lifecycle_|command$|execpath$|node_execpath$|config_(local_prefix|prefix|node_gyp)$)/;

/** The environment for child processes: our tools first on the PATH, nothing of an outer `npm run`. */
export function toolEnv() {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_NPM.test(name)));
  const PATH = `${bin}${delimiter}${process.env.PATH ?? ''}`;
  return { ...env, PATH, TURBO_TELEMETRY_DISABLED: '1', NODE_COMPILE_CACHE: join(tools, 'compile-cache') };
}

/** Runs a command to its end. Its output is shown only when it fails. Throws then. */
export function runQuietly(command, args, options = {}) {
  const always = { cwd: root, env: toolEnv(), encoding: 'utf8', maxBuffer: 1 << 28 };
  const done = spawnSync(command, args, { ...always, ...options });
  if (done.status === 0) return;
  process.stderr.write(`${done.stdout ?? ''}${done.stderr ?? ''}`);
  const end = done.signal ? `ended by ${done.signal}` : `exit code ${done.status}`;
  const reason = done.error?.message ?? end;
  throw new Error(`${command} ${args.join(' ')}: ${reason}`);
}

/**
 * Fetches Node and pnpm unless these versions are there. A directory gets its final name only when it is complete; what
 * an interrupted run left is removed. The caller holds the lock.
 */
export function installToolchain(say) {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform))
    throw new Error(`no Node package for ${platform}; known: ${PLATFORMS.join(', ')}`);
  const home = join(tools, `toolchain-${NODE_VERSION}-${PNPM_VERSION}-${platform}`);
  if (!fs.existsSync(home)) {
    say(`fetching Node ${NODE_VERSION} and pnpm ${PNPM_VERSION} into .tools/`);
    fs.mkdirSync(tools, { recursive: true });
    for (const name of fs.readdirSync(tools)) {
      if (name.startsWith('draft-')) fs.rmSync(join(tools, name), { recursive: true, force: true });
    }
    const draft = fs.mkdtempSync(join(tools, 'draft-'));
    try {
      fs.writeFileSync(join(draft, 'package.json'), '{ "private": true }\n');
      const packages = [`node-${platform}@${NODE_VERSION}`, `@pnpm/exe.${platform}@${PNPM_VERSION}`];
      const flags = '--no-audit --no-fund --no-package-lock --ignore-scripts --loglevel=error'.split(' ');
      runQuietly('npm', ['install', '--prefix', draft, ...flags, ...packages], { cwd: draft });
      runQuietly(join(draft, 'node_modules', `node-${platform}`, 'bin', 'node'), ['--version']);
      fs.renameSync(draft, home);
    } finally {
      fs.rmSync(draft, { recursive: true, force: true });
    }
  }
  fs.mkdirSync(bin, { recursive: true });
  link(join(home, 'node_modules', `node-${platform}`, 'bin', 'node'), 'node');
  link(join(home, 'node_modules', '@pnpm', `exe.${platform}`, 'pnpm'), 'pnpm');
}

/** Points `.tools/bin/<name>` at a file in one step, so that nobody running at the same time finds it missing. */
function link(target, name) {
  const draft = join(bin, `.${name}-${process.pid}`);
  fs.rmSync(draft, { force: true });
  fs.symlinkSync(target, draft);
  fs.renameSync(draft, join(bin, name));
}
