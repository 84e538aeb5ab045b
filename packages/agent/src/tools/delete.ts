import type { agent } from '@tandem/proto';
import { z } from 'zod';
import { execResult, NOT_UNDERSTOOD, notAllowed } from './answers.ts';
import { defineTool, errorText, PATIENT, text } from './tool.ts';

const schema = z.strictObject({
  path: z.string().min(1).describe('The file: absolute, or relative to the workspace folder.'),
});
type Args = z.infer<typeof schema>;

export const deleteTool = defineTool<Args>({
  name: 'delete_file',
  kind: 'deleteToolCall',
  access: 'write',
  description: 'Deletes one file.',
  schema,
  files: ({ path }) => [path],
  show: ({ path }, { callId }) => ({ case: 'deleteToolCall', value: { args: { path, toolCallId: callId } } }),
  refuse: ({ path }, error, { callId }) => ({
    case: 'deleteToolCall',
    value: {
      args: { path, toolCallId: callId },
      result: { result: { case: 'error', value: { path, error } } },
    },
  }),
  next({ path }, [answer], { callId }) {
    const args = { path, toolCallId: callId };
    if (!answer) {
      const exec = { case: 'deleteArgs', value: args } as const;
      return { ask: { type: 'exec', exec, deadline: PATIENT, repeatable: false } };
    }
    const result: agent.DeleteResult['result'] = execResult(answer, 'deleteResult')?.result ?? {
      case: undefined,
    };
    const output =
      result.case === 'success' ? text(`Deleted ${path}.`) : errorText(deleteFailure(path, result));
    // The file's former content is the client's business.
    const shown =
      result.case === 'success' ? { ...result, value: { ...result.value, prevContent: '' } } : result;
    return {
      done: { shown: { case: 'deleteToolCall', value: { args, result: { result: shown } } }, output },
    };
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
