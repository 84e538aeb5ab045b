import type { MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { z } from 'zod';
import { NOT_UNDERSTOOD, notAllowed } from './answers.ts';
import { spawned, spawnShell } from './background-shell.ts';
import { capturedText, type ShellRun } from './shell-run.ts';
import {
  type Answer,
  type Done,
  defineTool,
  errorText,
  type ShownTool,
  type ToolContext,
  text,
} from './tool.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 3_600_000;
/** A client that kills a command tells so soon after. */
const GRACE_MS = 20_000;

const schema = z.strictObject({
  command: z.string().min(1).describe('The command line.'),
  working_directory: z
    .string()
    .optional()
    .describe('Where to run it. Default: where the last command left off.'),
  timeout_ms: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .optional()
    .describe(`How long to wait for it. Default: ${DEFAULT_TIMEOUT_MS}.`),
  on_timeout: z
    .enum(['stop', 'background'])
    .optional()
    .describe(
      'What becomes of a command that takes longer: it is stopped (the default), or goes on in the background.',
    ),
  background: z
    .boolean()
    .optional()
    .describe('Start it and do not wait, for servers and watchers; await_command waits for it later.'),
  description: z.string().optional().describe('What the command does, in a few words, for the user.'),
});
export type ShellArgs = z.infer<typeof schema>;

export const shellTool = defineTool<ShellArgs>({
  name: 'run_command',
  kind: 'shellToolCall',
  access: 'write',
  description:
    "Runs a command in the user's shell and waits for it. The working directory and exported variables stay from one command to the next. " +
    'Give commands that ask for nothing and open no pager. To read, search or edit files, use the tools for it.',
  schema,
  show: (args, { callId }) => shown(args, callId),
  refuse: (args, error, { callId }) =>
    shown(args, callId, { case: 'spawnError', value: { command: args.command, error } }),
  next(args, [answer], context) {
    if (args.background) {
      if (!answer) return { ask: spawnShell(args, context) };
      const { outcome, output } = spawned(args, answer);
      return { done: { shown: shown(args, context.callId, outcome), output } };
    }
    if (answer) return { done: result(args, answer, context) };
    const timeout = args.timeout_ms ?? DEFAULT_TIMEOUT_MS;
    return {
      ask: {
        type: 'exec',
        exec: { case: 'shellStreamArgs', value: wireArgs(args, context.callId) },
        deadline: { ms: timeout + GRACE_MS, from: 'start' },
        repeatable: false,
      },
    };
  },
});

function result(args: ShellArgs, answer: Answer, { callId }: ToolContext): Done {
  const { command } = args;
  const run = answer.type === 'shell' ? answer.run : undefined;
  const end = run?.end;
  const fail = (outcome: ShellOutcome, said: string): Done => ({
    shown: shown(args, callId, outcome),
    output: errorText(said),
  });
  switch (end?.case) {
    case 'exit':
      return exited(args, run as ShellRun, end.value, callId);
    case 'rejected':
      return fail(end, notAllowed(end.value.reason));
    case 'permissionDenied':
      return fail(end, `The command may not be run. ${end.value.error}`.trim());
    case 'sandboxUnsupported': {
      const error = end.value.reason || 'The sandbox is not available.';
      return fail({ case: 'spawnError', value: { command, error } }, error);
    }
    case 'backgrounded':
      return {
        shown: shown(args, callId, {
          case: 'success',
          value: {
            ...captured(args, run),
            shellId: end.value.shellId,
            pid: end.value.pid,
            backgroundReason: end.value.reason,
          },
        }),
        output: text(
          `${outputText(run)}[Goes on in the background as shell ${end.value.shellId}. Wait for it with await_command.]`,
        ),
      };
    default:
      return fail({ case: 'spawnError', value: { command, error: NOT_UNDERSTOOD } }, NOT_UNDERSTOOD);
  }
}

function exited(args: ShellArgs, run: ShellRun, exit: agent.ShellStreamExit, callId: string): Done {
  // The wire has the code of a killed command as an unsigned number.
  const exitCode = exit.code | 0;
  const { aborted, abortReason, outputLocation, cwd, localExecutionTimeMs } = exit;
  const shared = {
    ...captured(args, run),
    workingDirectory: cwd || args.working_directory || '',
    exitCode,
    outputLocation,
    localExecutionTimeMs,
  };
  const outcome: ShellOutcome =
    exitCode === 0 && !aborted
      ? { case: 'success', value: shared }
      : { case: 'failure', value: { ...shared, aborted, abortReason } };
  const notes = [aborted ? abortNote(abortReason) : `Exit code ${exitCode}`];
  if (cwd) notes.push(`working directory ${cwd}`);
  if (outputLocation) notes.push(`whole output in ${outputLocation.filePath}`);
  return { shown: shown(args, callId, outcome), output: text(`${outputText(run)}[${notes.join('; ')}]`) };
}

function abortNote(reason: agent.ShellAbortReason | undefined): string {
  return reason === agent.ShellAbortReason.TIMEOUT
    ? 'Ended: it ran into its time limit'
    : 'Stopped by the user';
}

function outputText(run: ShellRun | undefined): string {
  const output = run ? capturedText(run.output) : '';
  return output === '' || output.endsWith('\n') ? output : `${output}\n`;
}

function captured(
  { command, working_directory: workingDirectory = '' }: ShellArgs,
  run: ShellRun | undefined,
) {
  return {
    command,
    workingDirectory,
    stdout: run ? capturedText(run.stdout) : '',
    stderr: run ? capturedText(run.stderr) : '',
    interleavedOutput: run ? capturedText(run.output) : undefined,
  };
}

export type ShellOutcome = NonNullable<MessageInitShape<typeof agent.ShellResultSchema>['result']>;

function shown(args: ShellArgs, callId: string, result?: ShellOutcome): ShownTool {
  return {
    case: 'shellToolCall',
    value: {
      args: wireArgs(args, callId),
      result: result && { result, isBackground: args.background },
      description: args.description,
    },
  };
}

function wireArgs(args: ShellArgs, toolCallId: string): MessageInitShape<typeof agent.ShellArgsSchema> {
  return {
    command: args.command,
    workingDirectory: args.working_directory ?? '',
    timeout: args.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    timeoutBehavior:
      args.on_timeout === 'background' ? agent.TimeoutBehavior.BACKGROUND : agent.TimeoutBehavior.CANCEL,
    isBackground: args.background ?? false,
    toolCallId,
    // Nothing here takes commands apart: whoever decides by their parts what needs approval must not take it for known.
    parsingResult: { parsingFailed: true },
    description: args.description,
    closeStdin: true,
  };
}
