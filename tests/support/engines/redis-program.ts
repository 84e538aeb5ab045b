import { isAtLeast } from './command.ts';
import { firstOf, type Program } from './program.ts';
import { debianPackage, fromDebian, fromDocker, fromPath } from './sources.ts';

const NAMES = ['valkey-server', 'redis-server'];
const serves = (version: string) => isAtLeast(version, 6, 2);

/** Finds or installs a `valkey-server` or `redis-server`: PATH, Debian, Docker. */
export function findRedis(say: (line: string) => void): Promise<Program> {
  const sources = [
    fromPath(NAMES, serves),
    fromDebian(NAMES, serves),
    fromDocker('valkey/valkey:9-alpine', 'valkey-server'),
  ];
  return firstOf('valkey-server or redis-server', sources, advice, say);
}

function advice(): string {
  if (process.platform === 'darwin') return 'brew install valkey';
  return `sudo apt-get install -y ${debianPackage(NAMES, serves) ?? 'redis-server'}`;
}
