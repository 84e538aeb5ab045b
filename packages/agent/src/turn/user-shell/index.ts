export {
  evolveUserShellAsked,
  evolveUserShellClosed,
  evolveUserShellEvent,
  evolveUserShellFailed,
  isUserShellOver,
  userShellAction,
} from './evolve.ts';
export {
  decideUserShellTimeout,
  failUserShell,
  proceedUserShell,
  showUserShellOutput,
  stopUserShell,
} from './run.ts';
