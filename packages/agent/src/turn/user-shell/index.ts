export {
  evolveUserShellAsked,
  evolveUserShellClosed,
  evolveUserShellEvent,
  evolveUserShellFailed,
} from './evolve.ts';
export {
  decideUserShellTimeout,
  failUserShell,
  proceedUserShell,
  showUserShellOutput,
  stopUserShell,
} from './run.ts';
export { isUserShellOver, userShellAction } from './user-shell.ts';
