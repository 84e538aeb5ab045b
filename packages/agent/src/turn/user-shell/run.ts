import { create, toBinary } from '@bufbuild/protobuf';
import { agent, tandem } from '@tandem/proto';
import { capturedText, NEW_SHELL_RUN, type ShellRun } from '../../tools/shell-run.ts';
import type { Step } from '../step.ts';
import { abortExec, failureText } from '../tool-calls/index.ts';
import { appendMessage, textMessage } from '../transcript/index.ts';
import { COMPLETED, type Verdict } from '../verdict.ts';
import { isUserShellOver, USER_SHELL_ID, userShellAction } from './evolve.ts';

const TIMER = { type: 'user_shell' } as const;
const LONGEST_MS = 3_600_000;
/** A client that ends a command tells so soon after. */
const GRACE_MS = 60_000;

/** Asks the client to run the command, waits for its end, and ends the turn with what it did. */
export function proceedUserShell(step: Step): Verdict {
  if (isUserShellOver(step.state)) {
    step.stopTimer(TIMER);
    recordUserShell(step);
    return COMPLETED;
  }
  const action = userShellAction(step.state);
  if (!action) return undefined;
  step.startTimer(TIMER, LONGEST_MS + GRACE_MS);
  if (step.state.userShell) return undefined;
  step.frame({
    case: 'execServerMessage',
    value: {
      id: step.state.nextExec,
      execId: action.execId || USER_SHELL_ID,
      message: {
        case: 'shellStreamArgs',
        value: {
          command: action.shellCommand?.command ?? '',
          timeout: LONGEST_MS,
          timeoutBehavior: agent.TimeoutBehavior.CANCEL,
          toolCallId: action.execId || USER_SHELL_ID,
          // Nobody but the user himself asks for it.
          skipApproval: true,
          parsingResult: { parsingFailed: true },
          closeStdin: true,
        },
      },
    },
  });
  return 'advance';
}

/** Stops the command if it runs, and keeps what it did. */
export function stopUserShell(step: Step): void {
  const { userShell } = step.state;
  if (userShell && !isUserShellOver(step.state)) abortExec(step, userShell.exec);
  recordUserShell(step);
}

export function decideUserShellTimeout(step: Step): Verdict {
  const { userShell } = step.state;
  if (!userShell || isUserShellOver(step.state)) return 'advance';
  abortExec(step, userShell.exec);
  failUserShell(step, tandem.ToolFailure.TIMED_OUT);
  return 'advance';
}

export function failUserShell(step: Step, failure: tandem.ToolFailure): void {
  step.record({ case: 'toolFailed', value: { callId: USER_SHELL_ID, failure } });
}

/** Shows what it prints. Returns false for messages about something else. */
export function showUserShellOutput(step: Step, { id, message }: agent.ExecClientMessage): boolean {
  if (step.state.userShell?.exec !== id || message.case !== 'shellStream') return false;
  const { event } = message.value;
  switch (event.case) {
    case 'start':
    case 'stdout':
    case 'stderr':
    case 'exit':
      step.update({ case: 'shellOutputDelta', value: { event } });
      return event.case !== 'exit';
    default:
      return false;
  }
}

/** What the command did becomes part of the conversation, for its user and for later turns' models. */
function recordUserShell(step: Step): void {
  const { userShell, turn } = step.state;
  const action = userShellAction(step.state);
  if (!action || !turn || turn.written) return;
  const command = action.shellCommand?.command ?? '';
  const shell = userShell?.shell ?? NEW_SHELL_RUN;
  const end = shell.end;
  const exitCode = end?.case === 'exit' ? end.value.code | 0 : -1;
  const failure = userShell?.failure ?? tandem.ToolFailure.CANCELED;
  const note = end ? endNote(end, exitCode) : failureText({ kind: failure, detail: '' });
  const said = capturedText(shell.output);
  appendMessage(step, textMessage(`<user_command>\n$ ${command}\n${said}\n[${note}]\n</user_command>`));
  const output = { stdout: capturedText(shell.stdout), stderr: capturedText(shell.stderr), exitCode };
  const shellCommand = step.write(
    toBinary(agent.ShellCommandSchema, create(agent.ShellCommandSchema, { command })),
  );
  const shellOutput = step.write(toBinary(agent.ShellOutputSchema, create(agent.ShellOutputSchema, output)));
  const structure = create(agent.ConversationTurnStructureSchema, {
    turn: { case: 'shellConversationTurn', value: { shellCommand, shellOutput } },
  });
  const blobId = step.write(toBinary(agent.ConversationTurnStructureSchema, structure));
  step.record({ case: 'turnWritten', value: { blobId } });
}

function endNote(end: NonNullable<ShellRun['end']>, exitCode: number): string {
  switch (end.case) {
    case 'exit':
      return `Exit code ${exitCode}`;
    case 'backgrounded':
      return `Goes on in the background as shell ${end.value.shellId}`;
    case 'rejected':
      return 'It was not allowed to run';
    default:
      return 'It could not be run';
  }
}
