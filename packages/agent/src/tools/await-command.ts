import type { agent } from '@tandem/proto';
import { RE2JS } from 're2js';
import { z } from 'zod';
import { execResult } from './answers.ts';
import { cutLine, cutMiddle } from './cut-text.ts';
import { readAnswer } from './read.ts';
import { parseTerminal } from './terminal-output.ts';
import { type Answer, type Done, defineTool, errorText, QUICK, type ShownTool, text } from './tool.ts';
import { wireInt } from './wire-numbers.ts';

const DEFAULT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;
/** A command that was just started may not have its file yet. */
const APPEARS_MS = 2_000;
/** More lines than a client's notes at the end have. */
const END_LINES = 20;
const OUTPUT_CHARS = 16_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

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
type Args = z.infer<typeof schema>;

/**
 * Clients can't be told to wait for a command, but keep its output in a file: that is read again and again, each time from
 * where the last reading stopped.
 */
export const awaitCommandTool = defineTool<Args>({
  name: 'await_command',
  kind: 'awaitToolCall',
  access: 'read',
  description:
    'Waits for a command that runs in the background: until it ends, its output matches a pattern, or the time is over. Returns its output.',
  schema,
  show: (args) => ({ case: 'awaitToolCall', value: { args: wireArgs(args) } }),
  refuse,
  next(args, answers, { terminalsFolder, callId }) {
    if (!terminalsFolder) {
      const reason = 'The client does not say where it keeps the output of commands.';
      return { done: { shown: refuse(args, reason), output: errorText(reason) } };
    }
    const path = `${terminalsFolder}/${args.shell_id}.txt`;
    const last = answers.at(-1);
    if (last?.type !== 'exec') {
      const offset = nextOffset(answers);
      // Under the same id a client would give what it has read before.
      const toolCallId = `${callId}.${answers.length}`;
      const exec = { case: 'readArgs', value: { path, offset, toolCallId } } as const;
      return { ask: { type: 'exec', exec, deadline: QUICK, repeatable: true } };
    }
    const pauses = answers.filter(({ type }) => type === 'paused').length;
    const done = outcome(args, answers, last, waited(pauses), path);
    return done ? { done } : { ask: { type: 'pause', ms: pauseMs(args, pauses) } };
  },
});

function outcome(
  args: Args,
  answers: readonly Answer[],
  last: Answer,
  elapsed: number,
  path: string,
): Done | undefined {
  const read = readAnswer(last);
  if (typeof read === 'string') {
    const missing = execResult(last, 'readResult')?.result.case === 'fileNotFound';
    if (missing && elapsed < Math.min(APPEARS_MS, limitOf(args))) return undefined;
    const reason = missing ? `There is no command in shell ${args.shell_id}.` : read;
    return { shown: refuse(args, reason), output: errorText(reason) };
  }
  // What was read before has been searched; the notes at the end may have come in several readings.
  const { output } = parseTerminal(textOf(read), !read.rangeApplied);
  const { ended } = parseTerminal(readLines(answers).slice(-END_LINES).join('\n'), false);
  const match = args.pattern === undefined ? undefined : findLine(args.pattern, output);
  if (!ended && match === undefined && elapsed < limitOf(args)) return undefined;
  return finish(args, answers, { elapsed, path, match });
}

function finish(
  args: Args,
  answers: readonly Answer[],
  { elapsed, path, match }: { elapsed: number; path: string; match: string | undefined },
): Done {
  const { output, ended, exitCode } = parseTerminal(readLines(answers).join('\n'), true);
  const facts = {
    taskId: String(args.shell_id),
    runtimeMs: BigInt(elapsed),
    outputFilePath: path,
    outputLength: BigInt(output.length),
    regexRequested: args.pattern !== undefined,
    regexMatch: match,
  };
  const state: AwaitState = ended
    ? { case: 'complete', value: { ...facts, exitCode } }
    : { case: 'stillRunning', value: facts };
  const notes: string[] = [];
  if (match !== undefined) notes.push(`The pattern matches: ${cutLine(match)}`);
  if (ended) notes.push(`The command has ended, exit code ${exitCode ?? 'unknown'}`);
  else notes.push(`It still runs${match === undefined ? ` after ${Math.round(elapsed / 1000)} s` : ''}`);
  if (ended && args.pattern !== undefined && match === undefined) notes.push('The pattern did not match');
  const said = cutMiddle(output, OUTPUT_CHARS);
  const end = said === '' || said.endsWith('\n') ? '' : '\n';
  return {
    shown: {
      case: 'awaitToolCall',
      value: {
        args: wireArgs(args),
        result: { result: { case: 'success', value: { awaitResult: state } } },
      },
    },
    output: text(`${said}${end}[${notes.join('. ')}.]`),
  };
}

type AwaitState = NonNullable<
  Extract<
    NonNullable<NonNullable<Extract<ShownTool, { case: 'awaitToolCall' }>['value']['result']>['result']>,
    { case: 'success' }
  >['value']['awaitResult']
>;

/** All lines that were read, each reading put in its place. */
function readLines(answers: readonly Answer[]): string[] {
  let lines: string[] = [];
  for (const answer of answers) {
    if (answer.type !== 'exec') continue;
    const read = readAnswer(answer);
    if (typeof read === 'string') continue;
    const more = textOf(read).split(/\r?\n/);
    lines = read.rangeApplied ? [...lines.slice(0, Math.max(0, lines.length - 1)), ...more] : more;
  }
  return lines;
}

/** Reads the last line again, since it may not have been whole. */
function nextOffset(answers: readonly Answer[]): number | undefined {
  const count = readLines(answers).length;
  return count > 0 ? count : undefined;
}

function textOf({ output }: agent.ReadSuccess): string {
  return output.case === 'content' ? output.value : '';
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

/** The line of the first match. Matching takes linear time, whatever pattern a model comes up with. */
function findLine(pattern: string, output: string): string | undefined {
  const matcher = RE2JS.compile(pattern, RE2JS.MULTILINE).matcher(output);
  if (!matcher.find()) return undefined;
  const start = output.lastIndexOf('\n', matcher.start() - 1) + 1;
  const end = output.indexOf('\n', matcher.end());
  return output.slice(matcher.start() === 0 ? 0 : start, end < 0 ? undefined : end);
}

function limitOf({ timeout_ms: limit = DEFAULT_WAIT_MS }: Args): number {
  return limit;
}

function nthPause(index: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** index);
}

/** How long a call has waited after so many pauses, in ms. */
function waited(pauses: number): number {
  let sum = 0;
  for (let index = 0; index < pauses; index++) sum += nthPause(index);
  return sum;
}

function pauseMs(args: Args, pauses: number): number {
  const rest = limitOf(args) - waited(pauses);
  return Math.max(1, Math.min(nthPause(pauses), rest));
}

function wireArgs(args: Args) {
  return { taskId: String(args.shell_id), blockUntilMs: limitOf(args), regex: args.pattern };
}

function refuse(args: Args, error: string): ShownTool {
  return {
    case: 'awaitToolCall',
    value: { args: wireArgs(args), result: { result: { case: 'error', value: { error } } } },
  };
}
