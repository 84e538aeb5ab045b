import type { agent } from '@tandem/proto';
import { diffFile } from './file-diff.ts';
import { readFailure } from './read.ts';
import { ACT, exec, LOOK, NOT_UNDERSTOOD, notAllowed, type Steps } from './steps.ts';
import { errorText, type Outcome, type ShownResult, text } from './tool.ts';

/** Larger files are shown by their diff only. */
const SHOWN_WHOLE_CHARS = 100_000;

/** Why a file's content is not known. */
export interface Unread {
  readonly reason: string;
  /** There is no such file. */
  readonly absent: boolean;
}

/** Reads a text file that is to be changed, all of it. */
export function* readWhole(path: string, callId: string): Steps<string | Unread> {
  const read = yield* exec('readArgs', { path, toolCallId: callId }, LOOK);
  if (read.case !== 'success') return { reason: readFailure(read), absent: read.case === 'fileNotFound' };
  const { output, truncated } = read.value;
  if (output.case === 'data') return { reason: `${path} is not a text file.`, absent: false };
  if (truncated) return { reason: `${path} is too large to edit.`, absent: false };
  return output.value ?? '';
}

/** A change of one file that a call has worked out. */
export interface FileChange {
  readonly path: string;
  /** Undefined for a file that is new. */
  readonly before: string | undefined;
  readonly after: string;
  /** Said to the model once it is done. */
  readonly message: string;
}

/** Has the client write the file, then shows the change as a diff. */
export function* writeFile(change: FileChange, callId: string): Steps<Outcome<'editToolCall'>> {
  const { path, after, message } = change;
  const written = yield* exec('writeArgs', { path, fileText: after, toolCallId: callId }, ACT);
  switch (written.case) {
    case 'success': {
      // The client may know the file by a fuller path.
      const args = { path: written.value.path || path };
      const value = { ...args, ...shownDiff(change, args.path), message };
      return { args, result: { result: { case: 'success', value } }, output: text(message) };
    }
    case 'rejected': {
      const { reason } = written.value;
      const value = { path, reason };
      return { result: { result: { case: 'rejected', value } }, output: errorText(notAllowed(reason)) };
    }
    case 'permissionDenied': {
      const { error, isReadonly } = written.value;
      const value = { path, error, isReadonly };
      const output = errorText(writeFailure(path, written));
      return { result: { result: { case: 'writePermissionDenied', value } }, output };
    }
    default:
      return { failure: writeFailure(path, written) };
  }
}

/** Why a client did not write a file. */
export function writeFailure(path: string, result: agent.WriteResult['result']): string {
  switch (result.case) {
    case 'permissionDenied':
      return `${path} may not be written. ${result.value.error}`.trim();
    case 'noSpace':
      return `There is no space left to write ${path}.`;
    case 'error':
      return `${path} could not be written: ${result.value.error}`;
    default:
      return `${NOT_UNDERSTOOD} Read ${path} to see what became of it.`;
  }
}

/** How clients show that a file was not changed. */
export function failedChange(path: string, error: string): ShownResult<'editToolCall'> {
  return { result: { case: 'error', value: { path, error, modelVisibleError: error } } };
}

function shownDiff({ before, after }: FileChange, path: string) {
  const { linesAdded, linesRemoved, text: diffString } = diffFile(path, before ?? '', after);
  const whole = after.length <= SHOWN_WHOLE_CHARS && (before?.length ?? 0) <= SHOWN_WHOLE_CHARS;
  return {
    linesAdded,
    linesRemoved,
    diffString,
    beforeFullFileContent: whole ? before : undefined,
    afterFullFileContent: whole ? after : '',
  };
}
