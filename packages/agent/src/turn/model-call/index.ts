export { abortModel, stopModel, writeDraft } from './answer.ts';
export {
  evolveCallEnded,
  evolveCallStarted,
  evolvePartialCall,
  evolveReasoningEnded,
  evolveShown,
  evolveThinkingCompleted,
  evolveToolRequested,
} from './evolve.ts';
export { decideModelEvent, decideModelFailure, proceedModelCall } from './model-call.ts';
