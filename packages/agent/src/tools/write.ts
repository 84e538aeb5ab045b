import { z } from 'zod';
import { failedChange, writeFile } from './file-change.ts';
import { exec, LOOK } from './steps.ts';
import { defineTool } from './tool.ts';

export const writeTool = defineTool({
  name: 'write_file',
  kind: 'editToolCall',
  access: 'write',
  description:
    'Writes a file, with the folders that it needs; an existing file is overwritten. To change a part of a file, use edit_file.',
  schema: z.strictObject({
    path: z.string().min(1).describe('The file: absolute, or relative to the workspace folder.'),
    content: z.string().describe('The whole new content.'),
  }),
  files: ({ path }) => [path],
  shownArgs: ({ path }) => ({ path }),
  shownFailure: (reason, { path }) => failedChange(path, reason),
  *run({ path, content }, { callId }) {
    // Whatever stands there is overwritten; it is read so that the change can be shown.
    const found = yield* exec('readArgs', { path, toolCallId: callId }, LOOK);
    const output = found.case === 'success' ? found.value.output : undefined;
    const before = output?.case === 'content' ? output.value : undefined;
    const message = before === undefined ? `Wrote ${path}.` : `Overwrote ${path}.`;
    return yield* writeFile({ path, before, after: content, message }, callId);
  },
});
