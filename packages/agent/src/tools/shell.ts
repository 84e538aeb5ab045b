import type { MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { z } from 'zod';
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
    .describe(`Ends the command after this time. Default: ${DEFAULT_TIMEOUT_MS}.`),
  description: z.string().optional().describe('What the command does, in a few words, for the user.'),
});
type Args = z.infer<typeof schema>;

export const shellTool = defineTool<Args>({
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

function result(args: Args, answer: Answer, { callId }: ToolContext): Done {
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
      return fail(end, `The user did not allow it. ${end.value.reason}`.trim());
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
        output: text(`${outputText(run)}[Goes on in the background as shell ${end.value.shellId}.]`),
      };
    default: {
      const error = 'The client gave an answer that is not understood.';
      return fail({ case: 'spawnError', value: { command, error } }, error);
    }
  }
}

function exited(args: Args, run: ShellRun, exit: agent.ShellStreamExit, callId: string): Done {
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

function captured({ command, working_directory: workingDirectory = '' }: Args, run: ShellRun | undefined) {
  return {
    command,
    workingDirectory,
    stdout: run ? capturedText(run.stdout) : '',
    stderr: run ? capturedText(run.stderr) : '',
    interleavedOutput: run ? capturedText(run.output) : undefined,
  };
}

type ShellOutcome = NonNullable<MessageInitShape<typeof agent.ShellResultSchema>['result']>;

function shown(args: Args, callId: string, result?: ShellOutcome): ShownTool {
  return {
    case: 'shellToolCall',
    value: { args: wireArgs(args, callId), result: result && { result }, description: args.description },
  };
}

function wireArgs(args: Args, toolCallId: string): MessageInitShape<typeof agent.ShellArgsSchema> {
  return {
    command: args.command,
    workingDirectory: args.working_directory ?? '',
    timeout: args.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    timeoutBehavior: agent.TimeoutBehavior.CANCEL,
    toolCallId,
    // Nothing here takes commands apart: whoever decides by their parts what needs approval must not take it for known.
    parsingResult: { parsingFailed: true },
    description: args.description,
    closeStdin: true,
  };
}
