import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { CommandFault } from '../command-fault.ts';

const OWNER_ONLY = 0o600;

/**
 * Replaces a file's text in one step: who reads it meanwhile finds the old or the new one, whole. The new text is written
 * to a file beside it, which keeps a second edit out, and then takes its place.
 *
 * @param change makes the new text from the old one, which is empty when there is no file
 * @throws CommandFault when another edit is under way
 */
export function replaceFile<Result extends { readonly text: string }>(
  file: string,
  change: (text: string) => Result,
): Result {
  // The file itself, not a link to it.
  const path = unlessMissing(() => realpathSync(file)) ?? file;
  const next = `${path}.new`;
  const handle = openNew(next);
  try {
    const result = change(unlessMissing(() => readFileSync(path, 'utf8')) ?? '');
    writeSync(handle, result.text);
    fchmodSync(handle, unlessMissing(() => statSync(path).mode & 0o777) ?? OWNER_ONLY);
    fsyncSync(handle);
    renameSync(next, path);
    return result;
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', OWNER_ONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CommandFault(`another edit is under way; if not, remove ${path}`);
  }
}

function unlessMissing<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}
