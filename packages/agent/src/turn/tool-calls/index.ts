export { parseArguments, requestOf, sendRequest } from './bind.ts';
export {
  evolveCalls,
  evolveChanges,
  evolveToolAnswered,
  evolveToolClosed,
  evolveToolCompleted,
  evolveToolEnded,
  evolveToolExec,
  evolveToolFailed,
  evolveToolQuery,
  evolveToolQueryAsked,
  evolveToolResponse,
  evolveToolResult,
  evolveToolStarted,
  evolveToolWaits,
  failureText,
} from './evolve.ts';
export { abortExec, decideExecTimeout, proceedToolCalls, stopTools } from './proceed.ts';
export { decideJobDone, decidePauseEnd } from './server-waits.ts';
export { modelCallId, showShellOutput } from './show.ts';

export { showToolWarnings, toolDefinitions, turnTools } from './turn-tools.ts';
export { answerOpenCalls } from './unanswered.ts';
