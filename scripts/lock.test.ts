import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withLock } from './lock.mjs';

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'lock');
}

function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

test('returns what the work returns and leaves nothing behind', async () => {
  const path = newPath();
  expect(await withLock(path, () => 'done')).toBe('done');
  await expect(withLock(path, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

test('waits for a living holder and tells who it is', async () => {
  const path = newPath();
  mkdirSync(path);
  writeFileSync(join(path, String(process.ppid)), '');
  const waited: number[] = [];
  const result = withLock(
    path,
    () => 'done',
    (pid) => {
      waited.push(pid);
      rmSync(path, { recursive: true });
    },
  );
  expect(await result).toBe('done');
  expect(waited).toEqual([process.ppid]);
});

test('takes over from a process that died, and an empty lock that one left', async () => {
  const path = newPath();
  mkdirSync(path);
  writeFileSync(join(path, String(deadPid())), '');
  expect(await withLock(path, () => 'taken over')).toBe('taken over');
  mkdirSync(path);
  expect(await withLock(path, () => 'empty')).toBe('empty');
});
