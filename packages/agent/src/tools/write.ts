import { z } from 'zod';
import { changeFile, refuseChange } from './file-change.ts';
import { readForChange } from './read-for-change.ts';
import { defineTool } from './tool.ts';

const schema = z.strictObject({
  path: z.string().min(1).describe('The file: absolute, or relative to the workspace folder.'),
  content: z.string().describe('The whole new content.'),
});

export const writeTool = defineTool<z.infer<typeof schema>>({
  name: 'write_file',
  kind: 'editToolCall',
  access: 'write',
  description:
    'Writes a file, with the folders that it needs; an existing file is overwritten. To change a part of a file, use edit_file.',
  schema,
  files: ({ path }) => [path],
  show: ({ path }) => ({ case: 'editToolCall', value: { args: { path } } }),
  refuse: ({ path }, reason) => refuseChange(path, reason),
  next({ path, content }, [read, written], { callId }) {
    if (!read) return readForChange(path, callId);
    // Whatever stands there is overwritten; it is read so that the change can be shown.
    const found =
      read.type === 'exec' && read.message.case === 'readResult' ? read.message.value.result : undefined;
    const output = found?.case === 'success' ? found.value.output : undefined;
    const before = output?.case === 'content' ? output.value : undefined;
    const message = before === undefined ? `Wrote ${path}.` : `Overwrote ${path}.`;
    return changeFile({ path, before, after: content, message }, written, callId);
  },
});
