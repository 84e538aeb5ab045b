import type { agent } from '@tandem/proto';
import { RE2JS } from 're2js';
import { z } from 'zod';
import { cutLine, cutMiddle } from './cut-text.ts';
import { wireInt } from './inputs.ts';
import { readFailure } from './read.ts';
import { exec, LOOK, pause } from './steps.ts';
import { parseTerminal } from './terminal-output.ts';
import { defineTool, text } from './tool.ts';

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;
/** A command that was just started may not have its file yet. */
const APPEARS_MS = 2_000;
/** More lines than a client's notes at the end have. */
const END_LINES = 20;
const OUTPUT_CHARS = 16_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
const NO_FOLDER = 'The client does not say where it keeps the output of commands.';

const schema = z.strictObject({
  shell_id: wireInt(0).describe('The shell of a command that runs in the background.'),
  pattern: z
    .string()
    .min(1)
    .refine(isPattern, 'This is no regular expression in the syntax of RE2.')
    .optional()
    .describe('A regular expression (RE2, line by line): return as soon as the output matches it.'),
  timeout_ms: wireInt(0)
    .max(MAX_WAIT_MS)
    .optional()
    .describe(`How long to wait at most. 0 only looks. Default: ${DEFAULT_WAIT_MS}.`),
});

/**
 * Clients can't be told to wait for a command, but keep its output in a file: that is read again and again, each time from
 * where the last reading stopped.
 */
export const awaitCommandTool = defineTool({
  name: 'await_command',
  kind: 'awaitToolCall',
  access: 'read',
  description:
    'Waits for a command that runs in the background: until it ends, its output matches a pattern, or the time is over. Returns its output.',
  schema,
  shownArgs: ({ shell_id: shellId, timeout_ms: limit = DEFAULT_WAIT_MS, pattern }) => ({
    taskId: String(shellId),
    blockUntilMs: limit,
    regex: pattern,
  }),
  shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
  *run({ shell_id: shellId, timeout_ms: limit = DEFAULT_WAIT_MS, pattern }, { terminalsFolder, callId }) {
    if (!terminalsFolder) return { failure: NO_FOLDER };
    const path = `${terminalsFolder}/${shellId}.txt`;
    let lines: readonly string[] = [];
    let elapsed = 0;
    let nextPause = FIRST_PAUSE_MS;
    for (let answers = 0; ; answers += 2) {
      // The last line is read again, since it may not have been whole.
      const offset = lines.length || undefined;
      // Under the same id a client would give what it has read before.
      const found = yield* exec('readArgs', { path, offset, toolCallId: `${callId}.${answers}` }, LOOK);
      if (found.case === 'success') {
        lines = withReading(lines, found.value);
        // The notes at the end may have come in several readings.
        const { ended } = parseTerminal(lines.slice(-END_LINES).join('\n'), false);
        const match = pattern === undefined ? undefined : matchIn(found.value, pattern);
        if (ended || match !== undefined || elapsed >= limit) {
          return outcome(lines, { shellId, path, pattern, match, elapsed });
        }
      } else if (found.case !== 'fileNotFound') {
        return { failure: readFailure(found) };
      } else if (elapsed >= Math.min(APPEARS_MS, limit)) {
        return { failure: `There is no command in shell ${shellId}.` };
      }
      yield* pause(Math.max(1, Math.min(nextPause, limit - elapsed)));
      elapsed += nextPause;
      nextPause = Math.min(LONGEST_PAUSE_MS, 2 * nextPause);
    }
  },
});

/** All lines that were read, with one more reading put in its place. */
function withReading(lines: readonly string[], read: agent.ReadSuccess): readonly string[] {
  const more = contentOf(read).split(/\r?\n/);
  return read.rangeApplied ? [...lines.slice(0, -1), ...more] : more;
}

function contentOf({ output }: agent.ReadSuccess): string {
  return output.case === 'content' ? output.value : '';
}

function outcome(
  lines: readonly string[],
  wait: { shellId: number; path: string; pattern?: string; match?: string; elapsed: number },
) {
  const { shellId, path, pattern, match, elapsed } = wait;
  const { output, ended, exitCode } = parseTerminal(lines.join('\n'), true);
  const facts = {
    taskId: String(shellId),
    runtimeMs: BigInt(elapsed),
    outputFilePath: path,
    outputLength: BigInt(output.length),
    regexRequested: pattern !== undefined,
    regexMatch: match,
  };
  const awaitResult = ended
    ? ({ case: 'complete', value: { ...facts, exitCode } } as const)
    : ({ case: 'stillRunning', value: facts } as const);
  const notes: string[] = [];
  if (match !== undefined) notes.push(`The pattern matches: ${cutLine(match)}`);
  if (ended) notes.push(`The command has ended, exit code ${exitCode ?? 'unknown'}`);
  else notes.push(`It still runs${match === undefined ? ` after ${Math.round(elapsed / 1000)} s` : ''}`);
  if (ended && pattern !== undefined && match === undefined) notes.push('The pattern did not match');
  const said = cutMiddle(output, OUTPUT_CHARS);
  const end = said === '' || said.endsWith('\n') ? '' : '\n';
  return {
    result: { result: { case: 'success', value: { awaitResult } } },
    output: text(`${said}${end}[${notes.join('. ')}.]`),
  } as const;
}

function isPattern(pattern: string): boolean {
  try {
    RE2JS.compile(pattern, RE2JS.MULTILINE);
    return true;
  } catch {
    // The model wrote it: it is told that it is wrong.
    return false;
  }
}

/** What was found in a reading: a call is replayed after each, and a long output would be searched hundreds of times. */
const searched = new WeakMap<agent.ReadSuccess, { pattern: string; line: string | undefined }>();

/** The line of the first match in what a reading brought. */
function matchIn(read: agent.ReadSuccess, pattern: string): string | undefined {
  const known = searched.get(read);
  if (known?.pattern === pattern) return known.line;
  const line = findLine(pattern, parseTerminal(contentOf(read), !read.rangeApplied).output);
  searched.set(read, { pattern, line });
  return line;
}

/** Matching takes linear time, whatever pattern a model comes up with. */
function findLine(pattern: string, output: string): string | undefined {
  const matcher = RE2JS.compile(pattern, RE2JS.MULTILINE).matcher(output);
  if (!matcher.find()) return undefined;
  const start = output.lastIndexOf('\n', matcher.start() - 1) + 1;
  const end = output.indexOf('\n', matcher.end());
  return output.slice(matcher.start() === 0 ? 0 : start, end < 0 ? undefined : end);
}
