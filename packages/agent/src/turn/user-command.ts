import { create, toBinary } from '@bufbuild/protobuf';
import type { Position } from '@tandem/actor-core';
import { agent, tandem } from '@tandem/proto';
import { capturedText, evolveShell, NEW_SHELL_RUN, type ShellRun } from '../tools/shell-run.ts';
import { appendMessage } from './commit.ts';
import type { TurnState } from './state.ts';
import type { Step } from './step.ts';
import { abortExec } from './tool-deadlines.ts';
import { failureText } from './tool-run.ts';
import { textMessage } from './transcript.ts';

/** A command that the user typed, run by the client; no model has a part in it. */
export interface UserCommand {
  readonly exec: number;
  readonly at: Position;
  readonly shell: ShellRun;
  readonly failure: tandem.ToolFailure | undefined;
}

/** Stands for the command where tool calls have their ids. */
export const USER_COMMAND = 'user_command';
export const COMMAND_TIMER = USER_COMMAND;
const LONGEST_MS = 3_600_000;
/** A client that ends a command tells so soon after. */
const GRACE_MS = 60_000;

/** Asks the client to run the command, then waits for its end. Returns whether something was done. */
export function proceedUserCommand(step: Step): boolean {
  const action = commandAction(step.state);
  if (!action) return false;
  step.startTimer(COMMAND_TIMER, LONGEST_MS + GRACE_MS);
  if (step.state.userCommand) return false;
  step.frame({
    case: 'execServerMessage',
    value: {
      id: step.state.nextExec,
      execId: action.execId || USER_COMMAND,
      message: {
        case: 'shellStreamArgs',
        value: {
          command: action.shellCommand?.command ?? '',
          timeout: LONGEST_MS,
          timeoutBehavior: agent.TimeoutBehavior.CANCEL,
          toolCallId: action.execId || USER_COMMAND,
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
export function isCommandOver({ userCommand }: TurnState): boolean {
  return (
    userCommand !== undefined && (userCommand.shell.end !== undefined || userCommand.failure !== undefined)
  );
}

/** What the command did becomes part of the conversation, for its user and for later turns' models. */
export function recordCommand(step: Step): void {
  const { userCommand, turn } = step.state;
  const action = commandAction(step.state);
  if (!action || !turn || turn.written) return;
  const command = action.shellCommand?.command ?? '';
  const shell = userCommand?.shell ?? NEW_SHELL_RUN;
  const end = shell.end;
  const exitCode = end?.case === 'exit' ? end.value.code | 0 : -1;
  const failure = userCommand?.failure ?? tandem.ToolFailure.CANCELED;
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
export function stopCommand(step: Step): void {
  const { userCommand } = step.state;
  if (userCommand && !isCommandOver(step.state)) abortExec(step, userCommand.exec);
  recordCommand(step);
}

export function decideCommandTimeout(step: Step): void {
  const { userCommand } = step.state;
  if (!userCommand || isCommandOver(step.state)) return;
  abortExec(step, userCommand.exec);
  failCommand(step, tandem.ToolFailure.TIMED_OUT);
}

export function failCommand(step: Step, failure: tandem.ToolFailure): void {
  step.record({ case: 'toolFailed', value: { callId: USER_COMMAND, failure } });
}

/** The client was asked to run it. */
export function evolveCommandAsked(state: TurnState, exec: agent.ExecServerMessage, at: Position): TurnState {
  if (exec.message.case !== 'shellStreamArgs' || !commandAction(state)) return state;
  return { ...state, userCommand: { exec: exec.id, at, shell: NEW_SHELL_RUN, failure: undefined } };
}

/** The client tells of it. */
export function evolveCommandEvent(state: TurnState, { id, message }: agent.ExecClientMessage): TurnState {
  const { userCommand } = state;
  if (userCommand?.exec !== id || userCommand.failure) return state;
  if (message.case !== 'shellStream')
    return evolveCommandFailure(state, id, tandem.ToolFailure.UNKNOWN_ANSWER);
  const shell = evolveShell(userCommand.shell, message.value.event);
  return { ...state, userCommand: { ...userCommand, shell } };
}

/** It will tell nothing more. */
export function evolveCommandFailure(
  state: TurnState,
  exec: number | undefined,
  failure: tandem.ToolFailure,
): TurnState {
  const { userCommand } = state;
  if (!userCommand || isCommandOver(state) || (exec !== undefined && userCommand.exec !== exec)) return state;
  return { ...state, userCommand: { ...userCommand, failure } };
}

/** Shows what it prints. Returns false for messages about something else. */
export function showCommandOutput(step: Step, { id, message }: agent.ExecClientMessage): boolean {
  if (step.state.userCommand?.exec !== id || message.case !== 'shellStream') return false;
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

export function commandAction({ request }: TurnState): agent.ShellCommandAction | undefined {
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
