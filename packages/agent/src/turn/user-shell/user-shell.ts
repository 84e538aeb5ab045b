import type { agent } from '@tandem/proto';
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
