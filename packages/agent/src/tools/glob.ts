import { z } from 'zod';
import { cutEnd } from './cut-text.ts';
import { searchFiles, tidyPath, workspaces } from './file-search.ts';
import { defineTool, text } from './tool.ts';

const MAX_FILES = 500;

export const globTool = defineTool({
  name: 'find_files',
  kind: 'globToolCall',
  access: 'read',
  description: `Finds files by their names; at most ${MAX_FILES} are given. Ignored files are left out.`,
  schema: z.strictObject({
    pattern: z.string().min(1).describe('A glob pattern, such as "**/*.test.ts".'),
    path: z.string().optional().describe('The folder to search. Default: the workspace folder.'),
  }),
  shownArgs: ({ path, pattern }) => ({ targetDirectory: path, globPattern: pattern }),
  shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
  *run({ path, pattern }, { callId }) {
    // A pattern without a folder matches names at any depth.
    const glob = pattern.includes('/') ? pattern : `**/${pattern}`;
    const outputMode = 'files_with_matches';
    const found = yield* searchFiles({ pattern: '', path, glob, outputMode, toolCallId: callId });
    if (typeof found === 'string') return { failure: found };
    const results = workspaces(found).flatMap(({ result }) =>
      result.case === 'files' ? [result.value] : [],
    );
    const all = results.flatMap(({ files }) => files.map(tidyPath));
    const files = all.slice(0, MAX_FILES);
    const told = results.reduce((sum, { totalFiles }) => sum + totalFiles, 0);
    const total = Math.max(all.length, told);
    const note = total > files.length ? `\n[${total - files.length} more files are not shown.]` : '';
    const value = {
      pattern,
      path: path ?? '',
      files,
      totalFiles: total,
      clientTruncated: results.some(({ clientTruncated }) => clientTruncated),
      ripgrepTruncated: results.some(({ ripgrepTruncated }) => ripgrepTruncated),
    };
    return {
      result: { result: { case: 'success', value } },
      output: text(files.length > 0 ? cutEnd(files.join('\n')) + note : 'No file matches.'),
    };
  },
});
