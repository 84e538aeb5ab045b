export { customModeId, isReadOnlyMode, modeBody, modeOf } from './mode.ts';
export {
  askContext,
  decideContextTimeout,
  evolveContextAsked,
  evolveContextClosed,
  evolveContextResult,
  proceedContext,
  requestContext,
} from './request-context.ts';
export { modelParameters, requestedModel } from './requested-model.ts';
export { isReadOnlySubagent, subagentModel } from './subagent.ts';
