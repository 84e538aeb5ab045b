/** Names of OpenTelemetry's conventions for generative AI; not yet stable there, so they are ours to keep. */
export const GEN_AI = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  conversation: 'gen_ai.conversation.id',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  tool: 'gen_ai.tool.name',
  toolCall: 'gen_ai.tool.call.id',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
} as const;

/** Our own names. */
export const TANDEM = {
  run: 'tandem.run.id',
  request: 'tandem.request.id',
  generation: 'tandem.run.generation',
  outcome: 'tandem.run.outcome',
  phase: 'tandem.run.phase',
  takenUp: 'tandem.run.taken_up',
  left: 'tandem.run.left',
  dispatchWaitMs: 'tandem.run.dispatch_wait_ms',
  exchangeEnd: 'tandem.exec.end',
  exchange: 'tandem.exec.id',
  modelCall: 'tandem.model_call.number',
  catalogueModel: 'tandem.model.id',
  deployment: 'tandem.deployment',
  attempt: 'tandem.attempt',
} as const;

export const USER_ID = 'user.id';
export const ERROR_TYPE = 'error.type';
