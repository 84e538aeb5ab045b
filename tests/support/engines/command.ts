import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of an executable found on the PATH. */
export function onPath(name: string): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

/** What a command that ended well printed; undefined when it failed or does not exist. */
export function outputOf(command: string, args: readonly string[], env = process.env): string | undefined {
  const done = spawnSync(command, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
  return done.status === 0 ? done.stdout : undefined;
}

/** Runs a command that changes something. @throws Error with the end of its output when it fails. */
export function mustRun(command: string, args: readonly string[], env = process.env): void {
  const done = spawnSync(command, args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (done.status === 0) return;
  const output = `${done.stdout ?? ''}${done.stderr ?? ''}`.trim().split('\n').slice(-20).join('\n');
  throw new Error(`${command} ${args.join(' ')} failed: ${done.error?.message ?? output}`);
}

/** Whether the first `major.minor` in `text` is at least the given one. */
export function isAtLeast(text: string, major: number, minor: number): boolean {
  const found = /(\d+)\.(\d+)/.exec(text);
  if (!found) return false;
  const [actualMajor, actualMinor] = [Number(found[1]), Number(found[2])];
  return actualMajor > major || (actualMajor === major && actualMinor >= minor);
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
