import type { agent } from '@tandem/proto';
import { execResult, NOT_UNDERSTOOD, notAllowed } from './answers.ts';
import { diffFile, type FileDiff } from './file-diff.ts';
import { type Answer, type Done, errorText, type Next, PATIENT, type ShownTool, text } from './tool.ts';

/** Larger files are shown by their diff only. */
const SHOWN_WHOLE_CHARS = 100_000;

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
export function changeFile(change: FileChange, written: Answer | undefined, callId: string): Next {
  if (!written) {
    const { path, after } = change;
    return {
      ask: {
        type: 'exec',
        exec: { case: 'writeArgs', value: { path, fileText: after, toolCallId: callId } },
        deadline: PATIENT,
        repeatable: false,
      },
    };
  }
  return { done: outcome(change, written) };
}

export function refuseChange(path: string, error: string): ShownTool {
  return {
    case: 'editToolCall',
    value: {
      args: { path },
      result: { result: { case: 'error', value: { path, error, modelVisibleError: error } } },
    },
  };
}

function outcome(change: FileChange, answer: Answer): Done {
  const { path } = change;
  const result = execResult(answer, 'writeResult')?.result;
  switch (result?.case) {
    case 'success':
      return { shown: shownChange(change, result.value.path || path), output: text(change.message) };
    case 'rejected':
      return {
        shown: edit(path, { case: 'rejected', value: { path, reason: result.value.reason } }),
        output: errorText(notAllowed(result.value.reason)),
      };
    case 'permissionDenied': {
      const { error, isReadonly } = result.value;
      return {
        shown: edit(path, { case: 'writePermissionDenied', value: { path, error, isReadonly } }),
        output: errorText(writeFailure(path, result)),
      };
    }
    default:
      return failed(path, writeFailure(path, result ?? { case: undefined }));
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

function shownChange({ before, after, message }: FileChange, path: string): ShownTool {
  const { linesAdded, linesRemoved, text: diffString }: FileDiff = diffFile(path, before ?? '', after);
  const whole = after.length <= SHOWN_WHOLE_CHARS && (before?.length ?? 0) <= SHOWN_WHOLE_CHARS;
  return edit(path, {
    case: 'success',
    value: {
      path,
      linesAdded,
      linesRemoved,
      diffString,
      beforeFullFileContent: whole ? before : undefined,
      afterFullFileContent: whole ? after : '',
      message,
    },
  });
}

type EditOutcome = NonNullable<
  NonNullable<Extract<ShownTool, { case: 'editToolCall' }>['value']['result']>['result']
>;

function edit(path: string, result: EditOutcome): ShownTool {
  return { case: 'editToolCall', value: { args: { path }, result: { result } } };
}

function failed(path: string, error: string): Done {
  return { shown: refuseChange(path, error), output: errorText(error) };
}
