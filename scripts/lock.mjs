// A lock between processes: a directory with one entry, named after the process that holds it.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 200;

/**
 * Runs `work` while holding the lock at `path`, and returns what it returns. While another living process holds the
 * lock it waits (`onWait(pid)` is called once); from a process that died it takes the lock over.
 */
export async function withLock(path, work, onWait = () => {}) {
  let told = false;
  fs.mkdirSync(dirname(path), { recursive: true });
  while (!acquire(path)) {
    const holder = holderOf(path);
    if (holder === undefined) continue;
    if (!isAlive(holder)) {
      if (inherit(path, holder)) break;
      continue;
    }
    if (!told) onWait(holder);
    told = true;
    await pause(POLL_MS);
  }
  try {
    return await work();
  } finally {
    release(path);
  }
}

/** A rename replaces an empty directory and fails on one that names a holder: nobody ever sees an unsigned lock. */
function acquire(path) {
  const draft = `${path}-${process.pid}`;
  fs.rmSync(draft, { recursive: true, force: true });
  fs.mkdirSync(draft);
  fs.writeFileSync(join(draft, String(process.pid)), '');
  return succeeds(
    () => fs.renameSync(draft, path),
    ['ENOTEMPTY', 'EEXIST'],
    () => fs.rmSync(draft, { recursive: true, force: true }),
  );
}

function release(path) {
  fs.rmSync(join(path, String(process.pid)), { force: true });
  succeeds(() => fs.rmdirSync(path), ['ENOENT', 'ENOTEMPTY', 'EEXIST']);
}

/** Of several processes that find the holder dead, one rename succeeds. */
function inherit(path, dead) {
  return succeeds(() => fs.renameSync(join(path, String(dead)), join(path, String(process.pid))), ['ENOENT']);
}

function holderOf(path) {
  let names = [];
  succeeds(() => {
    names = fs.readdirSync(path);
  }, ['ENOENT']);
  return names[0] === undefined ? undefined : Number(names[0]);
}

/** A process that has ended and was not collected by its parent yet (a zombie, on Linux) holds nothing any more. */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  const status = `/proc/${pid}/status`;
  return !fs.existsSync(status) || !/^State:\s+Z/m.test(fs.readFileSync(status, 'utf8'));
}

/** Whether `action` succeeded; an error that is not among the expected codes is thrown on. */
function succeeds(action, expected, otherwise = () => {}) {
  try {
    action();
    return true;
  } catch (error) {
    if (!expected.includes(error.code)) throw error;
    otherwise();
    return false;
  }
}
