import { z } from 'zod';
import { changeFile, refuseChange } from './file-change.ts';
import { readAnswer } from './read.ts';
import { readForChange } from './read-for-change.ts';
import { replaceExactly } from './replace-exactly.ts';
import { defineTool, errorText } from './tool.ts';

const schema = z.strictObject({
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
});

export const editTool = defineTool<z.infer<typeof schema>>({
  name: 'edit_file',
  kind: 'editToolCall',
  access: 'write',
  description:
    'Replaces a text in a file by another. Fails when the old text is not there, or is there more than once and replace_all is not set. ' +
    'Several edits of one file are made in the order of the calls. An empty old_string makes a new file.',
  schema,
  files: ({ path }) => [path],
  show: ({ path }) => ({ case: 'editToolCall', value: { args: { path } } }),
  refuse: ({ path }, reason) => refuseChange(path, reason),
  next(args, [read, written], { callId }) {
    const { path } = args;
    if (!read) return readForChange(path, callId);
    const fail = (reason: string) => ({
      done: { shown: refuseChange(path, reason), output: errorText(reason) },
    });
    const absent =
      read.type === 'exec' &&
      read.message.case === 'readResult' &&
      read.message.value.result.case === 'fileNotFound';
    if (absent && args.old_string === '') {
      const created = { path, before: undefined, after: args.new_string, message: `Made ${path}.` };
      return changeFile(created, written, callId);
    }
    const found = readAnswer(read);
    if (typeof found === 'string') return fail(found);
    if (found.output.case === 'data') return fail(`${path} is not a text file.`);
    if (found.truncated) return fail(`${path} is too large to edit.`);
    const before = found.output.value ?? '';
    const replaced = replaceExactly(before, args.old_string, args.new_string, args.replace_all ?? false);
    if ('fault' in replaced) return fail(`Nothing was changed in ${path}: ${replaced.fault}`);
    const times = replaced.count === 1 ? '' : ` ${replaced.count} times`;
    const message = `Replaced the text in ${path}${times}.`;
    return changeFile({ path, before, after: replaced.text, message }, written, callId);
  },
});
