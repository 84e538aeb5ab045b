// A lock between processes: a directory that holds its owner's process id.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 200;
const UNSIGNED_MS = 5_000;

/**
 * Runs `work` while holding the lock at `path`. Waits while another living process holds it (`onWait` is called
 * once then); takes it over from a dead one.
 */
export async function withLock(path, work, onWait = () => {}) {
  let told = false;
  mkdirSync(dirname(path), { recursive: true });
  while (!acquire(path)) {
    if (isAbandoned(path)) {
      discard(path);
      continue;
    }
    if (!told) onWait();
    told = true;
    await pause(POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

function acquire(path) {
  try {
    mkdirSync(path);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(join(path, 'pid'), String(process.pid));
  return true;
}

function isAbandoned(path) {
  try {
    const pid = Number(readFileSync(join(path, 'pid'), 'utf8'));
    if (pid > 0) return !isAlive(pid);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  try {
    return Date.now() - statSync(path).mtimeMs > UNSIGNED_MS;
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Removes an abandoned lock; of several processes that try, the rename lets one win. */
function discard(path) {
  const grave = `${path}.${process.pid}`;
  try {
    renameSync(path, grave);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  rmSync(grave, { recursive: true, force: true });
}
