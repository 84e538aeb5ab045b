import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../../scripts/lock.mjs';
import { tools } from '../../../scripts/toolchain.mjs';
import { isAtLeast, mustRun, outputOf } from './command.ts';
import { firstOf, type Program, type Source } from './program.ts';
import { debianPackage, fromDebian, fromDocker, fromPath } from './sources.ts';

const VERSION = '2.15.3';
const MODULE = `github.com/nats-io/nats-server/v2@v${VERSION}`;
const serves = (version: string) => isAtLeast(version, 2, 10);

/** Finds or makes a `nats-server` of at least 2.10: PATH, built with Go, Docker, Debian. */
export function findNats(say: (line: string) => void): Promise<Program> {
  const sources = [
    fromPath(['nats-server'], serves),
    builtWithGo,
    fromDocker(`nats:${VERSION}-alpine`, 'nats-server'),
    fromDebian(['nats-server'], serves),
  ];
  return firstOf('nats-server', sources, advice, say);
}

const builtWithGo: Source = {
  name: 'Go',
  find(say) {
    const engines = join(tools, 'engines');
    const path = join(engines, `nats-server-${VERSION}`);
    const program: Program = { kind: 'binary', path, label: `built from ${MODULE}` };
    if (existsSync(path)) return program;
    const version = outputOf('go', ['env', 'GOVERSION']);
    if (version === undefined) return 'no go on the PATH';
    if (!isAtLeast(version, 1, 26)) return `${version.trim()} is older than 1.26`;
    return withLock(join(engines, 'lock'), () => {
      if (!existsSync(path)) build(path, engines, say);
      return program;
    });
  },
};

function build(path: string, engines: string, say: (line: string) => void): void {
  say(`building ${MODULE} (once, about a minute)`);
  mkdirSync(engines, { recursive: true });
  const draft = mkdtempSync(join(engines, 'draft-'));
  try {
    mustRun('go', ['install', '-trimpath', MODULE], {
      ...process.env,
      GOBIN: draft,
      CGO_ENABLED: '0',
      GOFLAGS: '',
    });
    renameSync(join(draft, 'nats-server'), path);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function advice(): string {
  if (process.platform === 'darwin') return 'brew install nats-server';
  if (debianPackage(['nats-server'], serves)) return 'sudo apt-get install -y nats-server';
  return `go install ${MODULE}   (Go 1.26 or newer; then put "$(go env GOPATH)/bin" on the PATH)`;
}
