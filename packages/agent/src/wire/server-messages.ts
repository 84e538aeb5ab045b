import type { agent } from '@tandem/proto';
import { type Fields, type Kinds, notSent, sent } from './treatment.ts';

/** What the server may send. */
export const SERVER_MESSAGES: Kinds<agent.AgentServerMessage['message']> = {
  interactionUpdate: sent('what a user is shown; see Updates'),
  execServerMessage: sent('what the client is to do; see Executions'),
  conversationCheckpointUpdate: sent('after each step, and after `turn_ended`'),
  kvServerMessage: sent('blobs to keep, and blobs that are needed'),
  execServerControlMessage: sent('`abort`, when a call runs out of time or is stopped'),
  interactionQuery: sent('what a user is asked; see Queries'),
};

export const SERVER_FIELDS: Fields<agent.AgentServerMessage, 'message'> = {
  ttftBreakdown: notSent('measured by metrics and traces'),
};

/** What a user is shown. */
export const UPDATES: Kinds<agent.InteractionUpdate['message']> = {
  textDelta: sent("the model's text; `is_server_notice`: a word of the server itself, no part of the answer"),
  toolCallStarted: sent('a call with its whole arguments'),
  toolCallCompleted: sent('a call with its result'),
  thinkingDelta: sent("the model's reasoning, where its provider shows it"),
  thinkingCompleted: sent('the end of a block of reasoning'),
  userMessageAppended: sent('a delivered injection, or a message whose action wants to see it'),
  partialToolCall: sent('the arguments of a call as the model writes them'),
  tokenDelta: notSent('token counts come with `turn_ended`'),
  summary: notSent('conversations are not shortened yet'),
  summaryStarted: notSent('as `summary`'),
  summaryCompleted: notSent('as `summary`'),
  shellOutputDelta: sent(
    "what a command prints: the user's own, and those of the model to clients other than the IDE",
  ),
  heartbeat: sent('by gateways, after 5 seconds of silence; no part of the turn'),
  turnEnded: sent('once, with the token counts of all model calls'),
  toolCallDelta: sent("a running command's output with its call"),
  stepStarted: sent('before each model call'),
  stepCompleted: sent('after its tool calls'),
  promptSuggestion: notSent('no prompts are suggested'),
  postRequestPrompt: notSent('nothing is offered'),
  activeBranchChange: notSent("the client's own business"),
  feedbackRequest: notSent('nobody is asked for feedback'),
  responseComparison: notSent('answers are not compared'),
  contextInjectionState: sent('what becomes of an injection'),
  routedModel: notSent('the requested model answers'),
  grokBotNudge: notSent('nothing is offered'),
  toolRequestsListed: notSent('calls are shown one by one'),
};

export const UPDATE_FIELDS: Fields<agent.InteractionUpdate, 'message'> = {
  messageStartedAtMs: sent('with the first frame of what takes time'),
};

/** What a user is asked. */
export const QUERIES: Kinds<agent.InteractionQuery['query']> = {
  webSearchRequestQuery: sent('before a search of the web'),
  askQuestionInteractionQuery: sent('questions of the model'),
  switchModeRequestQuery: sent('before the mode is switched'),
  createPlanRequestQuery: sent('a plan to be looked at'),
  setupVmEnvironmentArgs: notSent('there are no machines to set up'),
  webFetchRequestQuery: sent('before a page of the web is read'),
  prManagementRequestQuery: notSent('pull requests are made by commands'),
  mcpAuthRequestQuery: notSent("the client's own business"),
  generateImageRequestQuery: notSent('no images are generated'),
  replaceEnvArgs: notSent('there are no machines to set up'),
  connectScmRequestQuery: notSent("the client's own business"),
};

export const QUERY_FIELDS: Fields<agent.InteractionQuery, 'query'> = {
  id: sent('counts over all attempts of a turn; answers name it'),
};
