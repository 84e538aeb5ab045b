import type { agent } from '@tandem/proto';
import { z } from 'zod';
import { ACT, exec, NOT_UNDERSTOOD, notAllowed } from './steps.ts';
import { defineTool, errorText, text } from './tool.ts';

export const deleteTool = defineTool({
  name: 'delete_file',
  kind: 'deleteToolCall',
  access: 'write',
  description: 'Deletes one file.',
  schema: z.strictObject({
    path: z.string().min(1).describe('The file: absolute, or relative to the workspace folder.'),
  }),
  files: ({ path }) => [path],
  shownArgs: ({ path }, { callId }) => ({ path, toolCallId: callId }),
  shownFailure: (error, { path }) => ({ result: { case: 'error', value: { path, error } } }),
  *run({ path }, { callId }) {
    const result = yield* exec('deleteArgs', { path, toolCallId: callId }, ACT);
    if (result.case !== 'success')
      return { result: { result }, output: errorText(deleteFailure(path, result)) };
    // The file's former content is the client's business.
    const value = { ...result.value, prevContent: '' };
    return { result: { result: { case: 'success', value } }, output: text(`Deleted ${path}.`) };
  },
});

/** Why a client did not delete a file. */
export function deleteFailure(path: string, result: agent.DeleteResult['result']): string {
  switch (result.case) {
    case 'fileNotFound':
      return `There is no file ${path}.`;
    case 'notFile':
      return `${path} is not a file but a ${result.value.actualType || 'folder'}.`;
    case 'permissionDenied':
      return `${path} may not be deleted. ${result.value.clientVisibleError}`.trim();
    case 'fileBusy':
      return `${path} is in use.`;
    case 'rejected':
      return notAllowed(result.value.reason);
    case 'error':
      return `${path} could not be deleted: ${result.value.error}`;
    default:
      return NOT_UNDERSTOOD;
  }
}
