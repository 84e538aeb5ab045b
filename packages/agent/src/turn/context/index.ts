export { customModeId, isReadOnlyMode, modeBody, modeOf } from './mode.ts';
export { isReadOnlySubagent, modelParameters, requestedModel, subagentModel } from './models.ts';
export {
  askContext,
  decideContextTimeout,
  evolveContextAsked,
  evolveContextClosed,
  evolveContextResult,
  proceedContext,
  requestContext,
} from './request-context.ts';
