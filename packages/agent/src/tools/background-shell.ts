import { agent } from '@tandem/proto';
import { execResult, NOT_UNDERSTOOD, notAllowed } from './answers.ts';
import type { ShellArgs, ShellOutcome } from './shell.ts';
import {
  type Answer,
  type Ask,
  errorText,
  PATIENT,
  type ToolContext,
  type ToolOutput,
  text,
} from './tool.ts';

/** Has the client start a command and not wait for it. */
export function spawnShell(args: ShellArgs, { callId, conversationId }: ToolContext): Ask {
  return {
    type: 'exec',
    exec: {
      case: 'backgroundShellSpawnArgs',
      value: {
        command: args.command,
        workingDirectory: args.working_directory ?? '',
        toolCallId: callId,
        // Nothing here takes commands apart, and nobody is to take one for known to be harmless.
        parsingResult: { parsingFailed: true },
        enableWriteShellStdinTool: true,
        description: args.description,
        conversationId: conversationId || undefined,
      },
    },
    deadline: PATIENT,
    repeatable: false,
  };
}

/** How a start went: for clients and for the model. */
export function spawned(args: ShellArgs, answer: Answer): { outcome: ShellOutcome; output: ToolOutput } {
  const { command } = args;
  const workingDirectory = args.working_directory ?? '';
  const fail = (error: string) => ({
    outcome: { case: 'spawnError', value: { command, workingDirectory, error } } as const,
    output: errorText(error),
  });
  const result: agent.BackgroundShellSpawnResult['result'] | undefined = execResult(
    answer,
    'backgroundShellSpawnResult',
  )?.result;
  switch (result?.case) {
    case 'success': {
      const { shellId, pid } = result.value;
      return {
        outcome: {
          case: 'success',
          value: {
            command,
            workingDirectory: result.value.workingDirectory || workingDirectory,
            shellId,
            pid,
            backgroundReason: agent.ShellBackgroundReason.UNSPECIFIED,
          },
        },
        output: text(
          `[Runs in the background as shell ${shellId}. Wait for it or its output with await_command.]`,
        ),
      };
    }
    case 'rejected':
      return { outcome: result, output: errorText(notAllowed(result.value.reason)) };
    case 'permissionDenied':
      return {
        outcome: result,
        output: errorText(`The command may not be run. ${result.value.error}`.trim()),
      };
    case 'sandboxUnsupported':
      return fail(result.value.reason || 'The sandbox is not available.');
    case 'error':
      return fail(`The command could not be started: ${result.value.error}`);
    default:
      return fail(NOT_UNDERSTOOD);
  }
}
