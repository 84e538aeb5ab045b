import { z } from 'zod';
import { failedChange, readWhole, writeFile } from './file-change.ts';
import { defineTool } from './tool.ts';

export const editTool = defineTool({
  name: 'edit_file',
  kind: 'editToolCall',
  access: 'write',
  description:
    'Replaces a text in a file by another. Fails when the old text is not there, or is there more than once and replace_all is not set. ' +
    'Several edits of one file are made in the order of the calls. An empty old_string makes a new file.',
  schema: z.strictObject({
    path: z.string().min(1).describe('The file: absolute, or relative to the workspace folder.'),
    old_string: z
      .string()
      .describe(
        'The text to replace, exactly as it stands in the file, without line numbers, with enough around it to be unique.',
      ),
    new_string: z.string().describe('The text that takes its place.'),
    replace_all: z
      .boolean()
      .optional()
      .describe('Replace every occurrence. Default: there must be exactly one.'),
  }),
  offered: ({ patches }) => !patches,
  files: ({ path }) => [path],
  shownArgs: ({ path }) => ({ path }),
  shownFailure: (reason, { path }) => failedChange(path, reason),
  *run({ path, old_string: old, new_string: replacement, replace_all: all = false }, { callId }) {
    const before = yield* readWhole(path, callId);
    if (typeof before !== 'string') {
      if (!before.absent || old !== '') return { failure: before.reason };
      const created = { path, before: undefined, after: replacement, message: `Made ${path}.` };
      return yield* writeFile(created, callId);
    }
    const replaced = replaceExactly(before, old, replacement, all);
    if ('fault' in replaced) return { failure: `Nothing was changed in ${path}: ${replaced.fault}` };
    const times = replaced.count === 1 ? '' : ` ${replaced.count} times`;
    const message = `Replaced the text in ${path}${times}.`;
    return yield* writeFile({ path, before, after: replaced.text, message }, callId);
  },
});

/**
 * Replaces a text that must occur exactly once, or everywhere. A file with CRLF line ends is matched as if it had plain
 * ones, and keeps its own.
 */
function replaceExactly(
  text: string,
  search: string,
  replacement: string,
  all: boolean,
): { text: string; count: number } | { fault: string } {
  if (search === '') return { fault: 'old_string is empty, but the file exists.' };
  if (search === replacement) return { fault: 'old_string and new_string are the same.' };
  const attempts = [[search, replacement]];
  if (text.includes('\r\n')) attempts.push([toCrlf(search), toCrlf(replacement)]);
  for (const [old = '', next = ''] of attempts) {
    const pieces = text.split(old);
    const count = pieces.length - 1;
    if (count === 0) continue;
    if (count > 1 && !all) {
      return {
        fault: `old_string occurs ${count} times. Give more of what stands around it, or set replace_all.`,
      };
    }
    return { text: pieces.join(next), count };
  }
  return { fault: 'old_string does not occur. Read the file again and copy the text exactly.' };
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
