export { buildCheckpoint, proceedCheckpoint, sendCheckpoint, stateDigest } from './checkpoint.ts';
export { newContext, newMode } from './context-news.ts';
export {
  evolveAppended,
  evolveCheckpoint,
  evolveStep,
  evolveStepAppended,
  evolveTurnOpened,
  evolveTurnWritten,
} from './evolve.ts';
export { CONTINUE, textMessage, transcript, transcriptIds } from './transcript.ts';
export { modelUserMessage } from './user-message.ts';
export { appendMessage, appendStep, encodeTurn, endStep, startStep, writeTurn } from './write.ts';
