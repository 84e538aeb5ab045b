import type { Position } from '@tandem/actor-core';
import { type agent, tandem } from '@tandem/proto';
import { evolveShell, NEW_SHELL_RUN } from '../../tools/shell-run.ts';
import type { TurnState } from '../state.ts';

/** Stands for the command where tool calls have their ids. */
export const USER_SHELL_ID = 'user_command';

/** The user's command, of a turn that is about one. */
export function userShellAction({ request }: TurnState): agent.ShellCommandAction | undefined {
  const action = request?.action?.action;
  return action?.case === 'shellCommandAction' ? action.value : undefined;
}

/** Whether the command has come to its end, well or not. */
export function isUserShellOver({ userShell }: TurnState): boolean {
  return userShell !== undefined && (userShell.shell.end !== undefined || userShell.failure !== undefined);
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
  if (message.case !== 'shellStream') return fail(state, tandem.ToolFailure.UNKNOWN_ANSWER);
  const shell = evolveShell(userShell.shell, message.value.event);
  return { ...state, userShell: { ...userShell, shell } };
}

/** The client will tell nothing more. */
export function evolveUserShellClosed(
  state: TurnState,
  { message }: agent.ExecClientControlMessage,
): TurnState {
  if (message.case !== 'throw' && message.case !== 'streamClose') return state;
  if (state.userShell?.exec !== message.value.id) return state;
  const { THROWN, CLOSED } = tandem.ToolFailure;
  return fail(state, message.case === 'throw' ? THROWN : CLOSED);
}

/** It was given up. */
export function evolveUserShellFailed(state: TurnState, { callId, failure }: tandem.ToolFailed): TurnState {
  return callId === USER_SHELL_ID ? fail(state, failure) : state;
}

function fail(state: TurnState, failure: tandem.ToolFailure): TurnState {
  const { userShell } = state;
  return userShell && !isUserShellOver(state) ? { ...state, userShell: { ...userShell, failure } } : state;
}
