import { create, toBinary } from '@bufbuild/protobuf';
import type { Position } from '@tandem/actor-core';
import { agent, tandem } from '@tandem/proto';
import { capturedText, evolveShell, NEW_SHELL_RUN, type ShellRun } from '../../tools/shell-run.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { abortExec } from '../tool-calls/deadlines.ts';
import { failureText } from '../tool-calls/tool-call.ts';
import { appendMessage } from '../transcript/commit.ts';
import { textMessage } from '../transcript/transcript.ts';

/** A command that the user typed, run by the client; no model has a part in it. */
export interface UserShell {
  readonly exec: number;
  readonly at: Position;
  readonly shell: ShellRun;
  readonly failure: tandem.ToolFailure | undefined;
}

/** Stands for the command where tool calls have their ids. */
export const USER_SHELL = 'user_command';
export const USER_SHELL_TIMER = USER_SHELL;
const LONGEST_MS = 3_600_000;
/** A client that ends a command tells so soon after. */
const GRACE_MS = 60_000;

/** Asks the client to run the command, then waits for its end. Returns whether something was done. */
export function proceedUserShell(step: Step): boolean {
  const action = userShellAction(step.state);
  if (!action) return false;
  step.startTimer(USER_SHELL_TIMER, LONGEST_MS + GRACE_MS);
  if (step.state.userShell) return false;
  step.frame({
    case: 'execServerMessage',
    value: {
      id: step.state.nextExec,
      execId: action.execId || USER_SHELL,
      message: {
        case: 'shellStreamArgs',
        value: {
          command: action.shellCommand?.command ?? '',
          timeout: LONGEST_MS,
          timeoutBehavior: agent.TimeoutBehavior.CANCEL,
          toolCallId: action.execId || USER_SHELL,
          // Nobody but the user himself asks for it.
          skipApproval: true,
          parsingResult: { parsingFailed: true },
          closeStdin: true,
        },
      },
    },
  });
  return true;
}

/** Whether the command has come to its end, well or not. */
export function isUserShellOver({ userShell }: TurnState): boolean {
  return userShell !== undefined && (userShell.shell.end !== undefined || userShell.failure !== undefined);
}

/** What the command did becomes part of the conversation, for its user and for later turns' models. */
export function recordUserShell(step: Step): void {
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

/** Stops the command if it runs, and keeps what it did. */
export function stopUserShell(step: Step): void {
  const { userShell } = step.state;
  if (userShell && !isUserShellOver(step.state)) abortExec(step, userShell.exec);
  recordUserShell(step);
}

export function decideUserShellTimeout(step: Step): void {
  const { userShell } = step.state;
  if (!userShell || isUserShellOver(step.state)) return;
  abortExec(step, userShell.exec);
  failUserShell(step, tandem.ToolFailure.TIMED_OUT);
}

export function failUserShell(step: Step, failure: tandem.ToolFailure): void {
  step.record({ case: 'toolFailed', value: { callId: USER_SHELL, failure } });
}

/** The client was asked to run it. */
export function evolveUserShellAsked(
  state: TurnState,
  exec: agent.ExecServerMessage,
  at: Position,
): TurnState {
  if (exec.message.case !== 'shellStreamArgs' || !userShellAction(state)) return state;
  return { ...state, userShell: { exec: exec.id, at, shell: NEW_SHELL_RUN, failure: undefined } };
}

/** The client tells of it. */
export function evolveUserShellEvent(state: TurnState, { id, message }: agent.ExecClientMessage): TurnState {
  const { userShell } = state;
  if (userShell?.exec !== id || userShell.failure) return state;
  if (message.case !== 'shellStream')
    return evolveUserShellFailure(state, id, tandem.ToolFailure.UNKNOWN_ANSWER);
  const shell = evolveShell(userShell.shell, message.value.event);
  return { ...state, userShell: { ...userShell, shell } };
}

/** It will tell nothing more. */
export function evolveUserShellFailure(
  state: TurnState,
  exec: number | undefined,
  failure: tandem.ToolFailure,
): TurnState {
  const { userShell } = state;
  if (!userShell || isUserShellOver(state) || (exec !== undefined && userShell.exec !== exec)) return state;
  return { ...state, userShell: { ...userShell, failure } };
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

export function userShellAction({ request }: TurnState): agent.ShellCommandAction | undefined {
  const action = request?.action?.action;
  return action?.case === 'shellCommandAction' ? action.value : undefined;
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
