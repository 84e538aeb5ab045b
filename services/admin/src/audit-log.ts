import { closeSync, openSync, writeSync } from 'node:fs';
import type { Change } from './users/edit-users.ts';

export interface AuditLog {
  /** Writes a line for each change. */
  write(changes: readonly Change[]): void;
  close(): void;
}

export interface AuditLogOptions {
  /** A file to append to, beside standard error. */
  readonly file: string | undefined;
  /** Who does it. */
  readonly actor: string;
  readonly now: () => number;
  readonly stderr: (line: string) => void;
}

/**
 * Who did what to whom and when, as JSON lines. Keys are named by their ids, never by themselves.
 * @throws Error when the file cannot be written to: before anything is changed
 */
export function openAuditLog({ file, actor, now, stderr }: AuditLogOptions): AuditLog {
  const handle = file === undefined ? undefined : openSync(file, 'a', 0o600);
  return {
    write(changes) {
      for (const change of changes) {
        const line = JSON.stringify({ time: new Date(now()).toISOString(), actor, ...change });
        stderr(line);
        if (handle !== undefined) writeSync(handle, `${line}\n`);
      }
    },
    close() {
      if (handle !== undefined) closeSync(handle);
    },
  };
}
