import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guard, release } from './guard.ts';

/** A new temporary folder, removed by `removeFolder` or when this process ends. */
export function makeFolder(engine: string): string {
  const path = mkdtempSync(join(tmpdir(), `tandem-${engine}-`));
  guard({ kind: 'folder', path });
  return path;
}

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  release({ kind: 'folder', path });
}
