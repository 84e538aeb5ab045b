import type { agent } from '@tandem/proto';
import { type Fields, ignored, type Kinds, refused, used } from './treatment.ts';

/** What a client may send. */
export const CLIENT_MESSAGES: Kinds<agent.AgentClientMessage['message']> = {
  runRequest: used(
    'begins a turn, or a further attempt at one; after a prewarm it goes on from what that brought',
  ),
  prewarmRequest: used(
    'restores the conversation and asks for the context, calls no model; goes on with the next `run_request` or action',
  ),
  conversationAction: used('see Actions'),
  execClientMessage: used(
    'the result of an execution, found by its `id`; one that nothing waits for changes nothing',
  ),
  execClientControlMessage: used(
    '`throw` and `stream_close` without a result end an execution with an error result; `heartbeat` does not count as an answer',
  ),
  kvClientMessage: used('confirms the write of a blob, or brings one'),
  interactionResponse: used("the user's answer to a query, found by its `id`"),
  clientHeartbeat: used('presence only'),
};

/** What a `run_request` says. */
export const RUN_REQUEST: Fields<agent.AgentRunRequest> = {
  conversationState: used(
    'the checkpoint to go on from; what this server does not know of it is carried over',
  ),
  action: used('see Actions; without one: `unimplemented`'),
  modelDetails: used('`model_id`, when `requested_model` names none (nested runs); credentials are ignored'),
  mcpTools: used('offered to the model, each as a tool of its own'),
  conversationId: used('the conversation whose active turn this becomes; the prompt cache key'),
  mcpFileSystemOptions: used('instructions of MCP servers that the context does not have'),
  skillOptions: used('skills that the context does not have'),
  customSystemPrompt: used("takes the place of the server's system prompt"),
  requestedModel: used(
    '`model_id` and `parameters`; credentials are ignored: the server has its own providers',
  ),
  suggestNextPrompt: ignored('no prompts are suggested'),
  subagentTypeName: used("the run is a subagent's: its type's prompt and permission"),
  excludeWorkspaceContext: used('git, layout, rules, skills, files, notes and changes are left out'),
  harness: ignored('all clients get the same tools'),
  selectedSubagentModels: used('models that the model may give to subagents'),
  selectedSubagentModelDetails: used('as `selected_subagent_models`'),
  conversationGroupId: ignored('a nested run is a conversation of its own'),
  preFetchedBlobs: used('taken where they have the hash that they are named by'),
  devRawModelSlug: ignored('models are named by the catalogue'),
  clientSupportsInlineImages: ignored('no images are generated'),
  subagentModelOverrides: used(
    "the user's choice of model for a type of subagent; a type can be switched off",
  ),
  canCreateCloudSubagents: ignored('subagents run with their client'),
  suppressSubagentProgressUpdateTool: ignored('there is no such tool'),
  clientSupportsSendToUser: ignored('there is no such tool'),
  computerUseCoordinateMode: ignored('there is no such tool'),
  runId: used('what `expected_run_id` of an injection has to name'),
  agentSessionId: ignored('not needed'),
  clientSupportsPromptContextUsageRpc: ignored('the call is not served'),
  clientSupportsRoutedModelUpdate: ignored('the requested model answers'),
  systemPromptSpec: used("replaces the server's system prompt, or is added to it"),
  clientLlmGatewayCredential: ignored('the server has its own providers'),
  clientSupportsPreviewCard: ignored('no previews are made'),
  startedAsNewProject: ignored('not needed'),
  firstProjectOnboarding: ignored('not needed'),
};

type PrewarmOnly = 'bestOfNGroupId' | 'tryUseBestOfNPromotion';

/** What a prewarm says beyond a `run_request`. */
export const PREWARM_REQUEST: Pick<Fields<agent.PrewarmRequest>, PrewarmOnly> = {
  bestOfNGroupId: ignored('attempts of several models are turns of their own'),
  tryUseBestOfNPromotion: ignored('as `best_of_n_group_id`'),
};

/** What an action says beside its kind. */
export const ACTION_FIELDS: Fields<agent.ConversationAction, 'action'> = {
  triggeringAuthId: ignored('the user is whom the access token names'),
  triggeringUserInfo: ignored('as `triggering_auth_id`'),
  requestContextParts: used(
    'the context: `dynamic_context` inline, rules, skills, subagents and MCP tools by blob id; lengths are not needed',
  ),
};

/** The kinds of actions; what each does to a turn that runs is in `actions.ts`. */
export const ACTION_KINDS: Kinds<agent.ConversationAction['action']> = {
  userMessageAction: used(
    'begins a turn, taking the place of the active one; during a turn: delivered with the next model call',
  ),
  resumeAction: used('goes on from the checkpoint; during a turn: nothing, the turn goes on'),
  cancelAction: used(
    'ends the turn; everything that was finished is kept, with what the client knows of calls that were out',
  ),
  summarizeAction: refused(
    '`unimplemented`, not retryable, until conversations can be shortened; during a turn: a notice',
  ),
  shellCommandAction: used(
    "runs the user's command through the client and records it as a turn, without a model; during a turn: a notice",
  ),
  startPlanAction: used('as a user message in plan mode'),
  executePlanAction: used('has the plan carried out, in the mode that it names (agent mode if none)'),
  asyncAskQuestionCompletionAction: used(
    'begins a turn with the answers; during a turn: delivered with the next model call',
  ),
  cancelSubagentAction: used('stops the call that it names, by call id or agent id; the turn goes on'),
  backgroundTaskCompletionAction: used(
    'begins a turn with the news, superseding none (`record_only`: without a model); during a turn: delivered with the next model call',
  ),
  backgroundShellAction: used('asks the client to move the running command to the background'),
  backgroundSubagentAction: used('asks the client to move the running subagent to the background'),
  subscriptionNotificationAction: used(
    'begins a turn with the notifications, superseding none; during a turn: delivered with the next model call',
  ),
  goalContinuationAction: used(
    'begins a turn that goes on with the goal, superseding none; during a turn: nothing, the turn goes on',
  ),
  injectContextAction: used(
    'queued, delivered with the next model call, and told by `context_injection_state`; rejected when it names another run; goes back as `queued_for_next_turn` when the turn ends first',
  ),
};
