import type { MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { z } from 'zod';
import { capturedText, type ShellRun } from './shell-run.ts';
import { ACT, exec, NOT_UNDERSTOOD, notAllowed, type Steps, shell } from './steps.ts';
import { type CallContext, defineTool, errorText, type Outcome, text } from './tool.ts';

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
type Args = z.infer<typeof schema>;

export const shellTool = defineTool({
  name: 'run_command',
  kind: 'shellToolCall',
  access: 'write',
  description:
    "Runs a command in the user's shell and waits for it. The working directory and exported variables stay from one command to the next. " +
    'Give commands that ask for nothing and open no pager. To read, search or edit files, use the tools for it.',
  schema,
  shownArgs,
  shownFailure: (error, { command, background: isBackground }) => ({
    result: { case: 'spawnError', value: { command, error } },
    isBackground,
  }),
  shownMore: ({ description }) => ({ description }),
  *run(args, context) {
    if (args.background) return yield* start(args, context);
    const run = yield* shell(shownArgs(args, context), timeoutOf(args) + GRACE_MS);
    if (!run?.end) return { failure: NOT_UNDERSTOOD };
    const { end } = run;
    switch (end.case) {
      case 'exit':
        return exited(args, run, end.value);
      case 'backgrounded': {
        const { shellId, pid, reason: backgroundReason } = end.value;
        const note = `Goes on in the background as shell ${shellId}. Wait for it with await_command.`;
        const value = { ...captured(args, run), shellId, pid, backgroundReason };
        return {
          result: shown(args, { case: 'success', value }),
          output: text(`${outputText(run)}[${note}]`),
        };
      }
      case 'rejected':
        return { result: shown(args, end), output: errorText(notAllowed(end.value.reason)) };
      case 'permissionDenied':
        return { result: shown(args, end), output: errorText(denied(end.value)) };
      case 'sandboxUnsupported':
        return { failure: end.value.reason || NO_SANDBOX };
      default:
        return { failure: NOT_UNDERSTOOD };
    }
  },
});

/** Has the client start a command and not wait for it. */
function* start(args: Args, { callId, conversationId }: CallContext): Steps<Outcome<'shellToolCall'>> {
  const { command, working_directory: workingDirectory = '', description } = args;
  const spawned = yield* exec(
    'backgroundShellSpawnArgs',
    {
      command,
      workingDirectory,
      toolCallId: callId,
      // Nothing here takes commands apart, and nobody is to take one for known to be harmless.
      parsingResult: { parsingFailed: true },
      enableWriteShellStdinTool: true,
      description,
      conversationId: conversationId || undefined,
    },
    ACT,
  );
  const failed = (error: string) => {
    const value = { command, workingDirectory, error };
    return { result: shown(args, { case: 'spawnError', value }), output: errorText(error) };
  };
  switch (spawned.case) {
    case 'success': {
      const { shellId, pid } = spawned.value;
      const value = {
        command,
        workingDirectory: spawned.value.workingDirectory || workingDirectory,
        shellId,
        pid,
        backgroundReason: agent.ShellBackgroundReason.UNSPECIFIED,
      };
      const note = `Runs in the background as shell ${shellId}. Wait for it or its output with await_command.`;
      return { result: shown(args, { case: 'success', value }), output: text(`[${note}]`) };
    }
    case 'rejected':
      return { result: shown(args, spawned), output: errorText(notAllowed(spawned.value.reason)) };
    case 'permissionDenied':
      return { result: shown(args, spawned), output: errorText(denied(spawned.value)) };
    case 'sandboxUnsupported':
      return failed(spawned.value.reason || NO_SANDBOX);
    case 'error':
      return failed(`The command could not be started: ${spawned.value.error}`);
    default:
      return failed(NOT_UNDERSTOOD);
  }
}

function exited(args: Args, run: ShellRun, exit: agent.ShellStreamExit): Outcome<'shellToolCall'> {
  // The wire has the code of a killed command as an unsigned number.
  const exitCode = exit.code | 0;
  const { aborted, abortReason, outputLocation, cwd, localExecutionTimeMs } = exit;
  const value = {
    ...captured(args, run),
    workingDirectory: cwd || args.working_directory || '',
    exitCode,
    outputLocation,
    localExecutionTimeMs,
  };
  const outcome: ShellOutcome =
    exitCode === 0 && !aborted
      ? { case: 'success', value }
      : { case: 'failure', value: { ...value, aborted, abortReason } };
  const notes = [aborted ? abortNote(abortReason) : `Exit code ${exitCode}`];
  if (cwd) notes.push(`working directory ${cwd}`);
  if (outputLocation) notes.push(`whole output in ${outputLocation.filePath}`);
  return { result: shown(args, outcome), output: text(`${outputText(run)}[${notes.join('; ')}]`) };
}

const NO_SANDBOX = 'The sandbox is not available.';

function denied({ error }: { error: string }): string {
  return `The command may not be run. ${error}`.trim();
}

function abortNote(reason: agent.ShellAbortReason | undefined): string {
  return reason === agent.ShellAbortReason.TIMEOUT
    ? 'Ended: it ran into its time limit'
    : 'Stopped by the user';
}

function outputText(run: ShellRun): string {
  const output = capturedText(run.output);
  return output === '' || output.endsWith('\n') ? output : `${output}\n`;
}

function captured({ command, working_directory: workingDirectory = '' }: Args, run: ShellRun) {
  return {
    command,
    workingDirectory,
    stdout: capturedText(run.stdout),
    stderr: capturedText(run.stderr),
    interleavedOutput: capturedText(run.output),
  };
}

type ShellOutcome = NonNullable<MessageInitShape<typeof agent.ShellResultSchema>['result']>;

function shown({ background: isBackground }: Args, result: ShellOutcome) {
  return { result, isBackground };
}

function timeoutOf({ timeout_ms: timeout = DEFAULT_TIMEOUT_MS }: Args): number {
  return timeout;
}

function shownArgs(args: Args, { callId }: CallContext) {
  return {
    command: args.command,
    workingDirectory: args.working_directory ?? '',
    timeout: timeoutOf(args),
    timeoutBehavior:
      args.on_timeout === 'background' ? agent.TimeoutBehavior.BACKGROUND : agent.TimeoutBehavior.CANCEL,
    isBackground: args.background ?? false,
    toolCallId: callId,
    // Nothing here takes commands apart: whoever decides by their parts what needs approval must not take it for known.
    parsingResult: { parsingFailed: true },
    description: args.description,
    closeStdin: true,
  };
}
