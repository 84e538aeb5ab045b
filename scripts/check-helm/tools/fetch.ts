import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withLock } from '../../lock.mjs';
import { tools as toolsFolder } from '../../toolchain.mjs';
import { COMPOSE_SCHEMA, DEFINITIONS, PINS } from './pins.ts';

/** Paths of what the checks need. */
export interface Tools {
  readonly helm3: string;
  readonly helm4: string;
  readonly validate: string;
  /** A folder with definitions of custom resources. */
  readonly definitions: string;
  readonly composeSchema: string;
}

/** A tool is missing and cannot be made here; the message says what to do. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing';
}

const home = join(toolsFolder, 'helm');

/**
 * Builds and fetches what is not there yet, into `.tools/helm/`.
 * @throws ToolMissing
 */
export async function fetchTools(say: (line: string) => void): Promise<Tools> {
  mkdirSync(home, { recursive: true });
  return withLock(
    join(home, 'lock'),
    () => ({
      helm3: program(PINS.helm3, say),
      helm4: program(PINS.helm4, say),
      validate: program(PINS.validate, say),
      definitions: definitions(say),
      composeSchema: fileOf(COMPOSE_SCHEMA, COMPOSE_SCHEMA.files[0], say),
    }),
    () => say('waiting for another run that fetches tools'),
  );
}

function program(pin: { module: string; version: string; program: string }, say: (line: string) => void) {
  const path = join(home, `${pin.program}-${pin.version}`);
  if (existsSync(path)) return path;
  say(`building ${pin.module}@${pin.version} (once, some minutes)`);
  const draft = mkdtempSync(join(home, 'draft-'));
  try {
    go(['install', '-trimpath', '-p', '1', `${pin.module}@${pin.version}`], { GOBIN: draft });
    renameSync(join(draft, pin.program), path);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return path;
}

function definitions(say: (line: string) => void): string {
  const versions = DEFINITIONS.map(({ module, version }) => `${basename(module)}-${version}`);
  const folder = join(home, `definitions-${versions.join('-')}`);
  if (existsSync(folder)) return folder;
  const draft = mkdtempSync(join(home, 'draft-'));
  for (const pin of DEFINITIONS) {
    for (const file of pin.files) copyFileSync(moduleFile(pin, file, say), join(draft, basename(file)));
  }
  renameSync(draft, folder);
  return folder;
}

function fileOf(pin: { module: string; version: string }, file: string, say: (line: string) => void): string {
  const path = join(home, `${pin.version}-${basename(file)}`);
  if (!existsSync(path)) copyFileSync(moduleFile(pin, file, say), path);
  return path;
}

function moduleFile(pin: { module: string; version: string }, file: string, say: (line: string) => void) {
  say(`fetching ${pin.module}@${pin.version}`);
  const answer = JSON.parse(go(['mod', 'download', '-json', `${pin.module}@${pin.version}`], {})) as {
    Dir: string;
  };
  return join(answer.Dir, file);
}

function go(args: readonly string[], env: Readonly<Record<string, string>>): string {
  const done = spawnSync('go', args, {
    cwd: home,
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', ...env },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (done.error) {
    throw new ToolMissing(
      'Go is not on the PATH, and Helm and the Kubernetes schemas are built with it.\n' +
        'Install Go 1.26 or newer (`apt-get install golang`, `brew install go` or https://go.dev/dl), then run: npm run check:helm',
    );
  }
  if (done.status !== 0) {
    throw new ToolMissing(
      `go ${args.join(' ')} failed:\n${done.stderr.trim().split('\n').slice(-8).join('\n')}`,
    );
  }
  return done.stdout;
}
