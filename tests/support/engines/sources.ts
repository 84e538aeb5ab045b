import { existsSync } from 'node:fs';
import { isRoot, mustRun, onPath, outputOf } from './command.ts';
import type { Program, Source } from './program.ts';

/** The first of `names` on the PATH whose `--version` satisfies `accepts`. */
export function fromPath(names: readonly string[], accepts: (version: string) => boolean): Source {
  return {
    name: 'PATH',
    find() {
      const found = programOnPath(names, accepts);
      return found ?? `none of ${names.join(', ')} in a version that serves`;
    },
  };
}

/** A container of `image`; only where containers can share the host's network. */
export function fromDocker(image: string, command: string): Source {
  return {
    name: 'Docker',
    find() {
      if (process.platform !== 'linux') return 'used on Linux only, where containers share the host network';
      if (outputOf('docker', ['info']) === undefined) return 'no reachable engine';
      return { kind: 'docker', image, command, label: `container of ${image}` };
    },
  };
}

/** The first of Debian's `packages` whose candidate version satisfies `accepts`, installed now. */
export function fromDebian(packages: readonly string[], accepts: (version: string) => boolean): Source {
  return {
    name: 'Debian packages',
    find(say) {
      if (!existsSync('/etc/debian_version')) return 'not a Debian system';
      if (!isRoot()) return 'not root';
      mustRun('apt-get', ['update', '-qq']);
      const chosen = debianPackage(packages, accepts);
      if (chosen === undefined) return `no ${packages.join(', ')} in a version that serves`;
      say(`installing Debian's ${chosen}`);
      // The run level keeps the package from starting a service of its own.
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
      mustRun('apt-get', ['install', '-y', '-qq', '--no-install-recommends', chosen], env);
      return programOnPath(packages, accepts) ?? `${chosen} has no program of that name`;
    },
  };
}

/** The first of Debian's packages whose candidate version, as the package lists have it, satisfies `accepts`. */
export function debianPackage(
  packages: readonly string[],
  accepts: (version: string) => boolean,
): string | undefined {
  return packages.find((name) => {
    const candidate = /Candidate: (?:\d+:)?(\d\S*)/.exec(outputOf('apt-cache', ['policy', name]) ?? '');
    return candidate?.[1] !== undefined && accepts(candidate[1]);
  });
}

function programOnPath(names: readonly string[], accepts: (version: string) => boolean): Program | undefined {
  for (const name of names) {
    const path = onPath(name);
    const version = path && outputOf(path, ['--version'])?.trim().split('\n')[0];
    if (path && version && accepts(version)) return { kind: 'binary', path, label: `${path} (${version})` };
  }
  return undefined;
}
