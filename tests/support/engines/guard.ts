import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';

/** What must not outlive this process. */
export type Ward =
  | { readonly kind: 'process'; readonly pid: number }
  | { readonly kind: 'container'; readonly name: string }
  | { readonly kind: 'folder'; readonly path: string };

let watchdog: ChildProcess | undefined;

/** From now on `ward` is killed or removed as soon as this process has ended, even by SIGKILL. */
export function guard(ward: Ward): void {
  tell({ ward, guarded: true });
}

/** Takes a ward back that has ended or was removed. */
export function release(ward: Ward): void {
  tell({ ward, guarded: false });
}

function tell(message: { readonly ward: Ward; readonly guarded: boolean }): void {
  watchdog ??= startWatchdog();
  watchdog.stdin?.write(`${JSON.stringify(message)}\n`);
}

/** A session of its own keeps signals to our process group (Ctrl-C) away from it; nothing of it keeps us alive. */
function startWatchdog(): ChildProcess {
  const program = join(import.meta.dirname, 'watchdog.ts');
  const child = spawn(process.execPath, [program], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}
