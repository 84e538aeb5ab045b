import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { z } from 'zod';
import { cutEnd, cutLine } from './cut-text.ts';
import { searchFiles, tidyPath, workspaces } from './file-search.ts';
import { wireInt } from './inputs.ts';
import { type CallContext, defineTool, text } from './tool.ts';

const DEFAULT_LIMIT = 200;

const schema = z.strictObject({
  pattern: z.string().min(1).describe('A regular expression in the syntax of ripgrep.'),
  path: z.string().optional().describe('The file or folder to search. Default: the workspace folder.'),
  glob: z.string().optional().describe('Only files that match this glob pattern, such as "*.ts".'),
  type: z.string().optional().describe("Only files of this type, by ripgrep's names, such as ts or py."),
  output_mode: z
    .enum(['content', 'files_with_matches', 'count'])
    .optional()
    .describe('Matching lines (the default), only the files, or how often each file matches.'),
  before: wireInt(0).optional().describe('Lines to show before each match.'),
  after: wireInt(0).optional().describe('Lines to show after each match.'),
  context: wireInt(0).optional().describe('Lines to show before and after each match.'),
  case_insensitive: z.boolean().optional(),
  multiline: z.boolean().optional().describe('Let a match span lines.'),
  head_limit: wireInt(1)
    .optional()
    .describe(`Show at most this many lines or files. Default: ${DEFAULT_LIMIT}.`),
});
type Args = z.infer<typeof schema>;

export const grepTool = defineTool({
  name: 'search_files',
  kind: 'grepToolCall',
  access: 'read',
  description: 'Searches file contents with a regular expression. Ignored files are left out.',
  schema,
  shownArgs,
  shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
  *run(args, context) {
    const found = yield* searchFiles(shownArgs(args, context));
    if (typeof found === 'string') return { failure: found };
    const { success, lines, left } = limited(found, args.head_limit ?? DEFAULT_LIMIT);
    const note = left > 0 ? `\n[${left} more are not shown.]` : '';
    return {
      result: { result: { case: 'success', value: success } },
      output: text(lines.length > 0 ? cutEnd(lines.join('\n')) + note : 'Nothing matches.'),
    };
  },
});

/** Clients do not apply a limit: the result is cut here, for the model and for what is shown. */
function limited(found: agent.GrepSuccess, limit: number) {
  const lines: string[] = [];
  let room = limit;
  let left = 0;
  const workspaceResults: Record<string, agent.GrepUnionResult> = {};
  const take = <T>(items: readonly T[]): T[] => {
    const taken = items.slice(0, room);
    room -= taken.length;
    left += items.length - taken.length;
    return taken;
  };
  for (const { root, result } of workspaces(found)) {
    let kept: agent.GrepUnionResult['result'] = result;
    if (result.case === 'files') {
      const files = take(result.value.files);
      left += Math.max(0, result.value.totalFiles - result.value.files.length);
      lines.push(...files.map(tidyPath));
      kept = { case: 'files', value: { ...result.value, files, headLimitApplied: limit } };
    } else if (result.case === 'count') {
      const counts = take(result.value.counts);
      lines.push(...counts.map(({ file, count }) => `${tidyPath(file)}: ${count}`));
      kept = { case: 'count', value: { ...result.value, counts, headLimitApplied: limit } };
    } else if (result.case === 'content') {
      const matches = result.value.matches.map((file) => ({ ...file, matches: take(file.matches) }));
      const shown = matches.filter((file) => file.matches.length > 0);
      const sent = result.value.matches.reduce((sum, file) => sum + file.matches.length, 0);
      left += Math.max(0, result.value.totalLines - sent);
      for (const file of shown) lines.push(...fileLines(file));
      kept = { case: 'content', value: { ...result.value, matches: shown, headLimitApplied: limit } };
    }
    workspaceResults[root] = create(agent.GrepUnionResultSchema, { result: kept });
  }
  return { success: { ...found, workspaceResults }, lines, left };
}

/** The file's name, then its lines with their numbers; a bar marks a match, a dash its surroundings. */
function fileLines({ file, matches }: agent.GrepFileMatch): string[] {
  return [
    tidyPath(file),
    ...matches.map(({ lineNumber, content, isContextLine }) => {
      const mark = isContextLine ? '-' : '|';
      return `${String(lineNumber).padStart(6)}${mark}${cutLine(content.replace(/\r?\n$/, ''))}`;
    }),
  ];
}

function shownArgs(args: Args, { callId }: CallContext) {
  return {
    pattern: args.pattern,
    path: args.path,
    glob: args.glob,
    type: args.type,
    outputMode: args.output_mode ?? 'content',
    contextBefore: args.before,
    contextAfter: args.after,
    context: args.context,
    caseInsensitive: args.case_insensitive,
    multiline: args.multiline,
    headLimit: args.head_limit ?? DEFAULT_LIMIT,
    toolCallId: callId,
  };
}
