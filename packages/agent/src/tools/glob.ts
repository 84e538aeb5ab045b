import { z } from 'zod';
import { cutEnd } from './cut-text.ts';
import { grepAnswer, tidyPath, workspaces } from './grep-answer.ts';
import { defineTool, errorText, QUICK, type ShownTool, text } from './tool.ts';

const MAX_FILES = 500;

const schema = z.strictObject({
  pattern: z.string().min(1).describe('A glob pattern, such as "**/*.test.ts".'),
  path: z.string().optional().describe('The folder to search. Default: the workspace folder.'),
});
type Args = z.infer<typeof schema>;

export const globTool = defineTool<Args>({
  name: 'find_files',
  kind: 'globToolCall',
  access: 'read',
  description: `Finds files by their names; at most ${MAX_FILES} are given. Ignored files are left out.`,
  schema,
  show: (args) => ({ case: 'globToolCall', value: { args: wireArgs(args) } }),
  refuse,
  next(args, [answer], { callId }) {
    if (!answer) {
      const { path, pattern } = args;
      // A pattern without a folder matches names at any depth.
      const glob = pattern.includes('/') ? pattern : `**/${pattern}`;
      const value = { pattern: '', path, glob, outputMode: 'files_with_matches', toolCallId: callId };
      return { ask: { type: 'exec', exec: { case: 'grepArgs', value }, deadline: QUICK, repeatable: true } };
    }
    const found = grepAnswer(answer);
    if (typeof found === 'string') return { done: { shown: refuse(args, found), output: errorText(found) } };
    const results = workspaces(found).flatMap(({ result }) =>
      result.case === 'files' ? [result.value] : [],
    );
    const all = results.flatMap(({ files }) => files.map(tidyPath));
    const files = all.slice(0, MAX_FILES);
    const total = Math.max(
      all.length,
      results.reduce((sum, { totalFiles }) => sum + totalFiles, 0),
    );
    const note = total > files.length ? `\n[${total - files.length} more files are not shown.]` : '';
    return {
      done: {
        shown: {
          case: 'globToolCall',
          value: {
            args: wireArgs(args),
            result: {
              result: {
                case: 'success',
                value: {
                  pattern: args.pattern,
                  path: args.path ?? '',
                  files,
                  totalFiles: total,
                  clientTruncated: results.some(({ clientTruncated }) => clientTruncated),
                  ripgrepTruncated: results.some(({ ripgrepTruncated }) => ripgrepTruncated),
                },
              },
            },
          },
        },
        output: text(files.length > 0 ? cutEnd(files.join('\n')) + note : 'No file matches.'),
      },
    };
  },
});

function wireArgs({ path, pattern }: Args) {
  return { targetDirectory: path, globPattern: pattern };
}

function refuse(args: Args, error: string): ShownTool {
  return {
    case: 'globToolCall',
    value: { args: wireArgs(args), result: { result: { case: 'error', value: { error } } } },
  };
}
