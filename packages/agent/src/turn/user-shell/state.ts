import type { Position } from '@tandem/actor-core';
import type { tandem } from '@tandem/proto';
import type { ShellRun } from '../../tools/shell-run.ts';

export interface UserShellState {
  /** The command that the turn is about, when it is not about a model. */
  readonly userShell: UserShell | undefined;
}

/** A command that the user typed, run by the client; no model has a part in it. */
interface UserShell {
  readonly exec: number;
  readonly at: Position;
  readonly shell: ShellRun;
  readonly failure: tandem.ToolFailure | undefined;
}

export const USER_SHELL_STATE: UserShellState = { userShell: undefined };
