import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import type { ClientMessage } from '../stream/appender.ts';

/** The first message of a turn's attempts. */
export interface RunRequest {
  readonly conversationId: string;
  /** The conversation so far, as the last checkpoint left it. */
  readonly state?: agent.ConversationStateStructure;
  /** What the user says; without it the turn resumes from the state. */
  readonly text?: string;
  readonly modelId?: string;
  /** The request id of the turn's first attempt. */
  readonly runId: string;
  /** Further fields of the request, which win over these. */
  readonly extra?: Partial<agent.AgentRunRequest>;
}

/** Says a user's message, or asks to go on from a checkpoint. */
export function runRequest({
  conversationId,
  state,
  text,
  modelId,
  runId,
  extra,
}: RunRequest): ClientMessage {
  const action = text === undefined ? resume() : say(text);
  const value = create(agent.AgentRunRequestSchema, {
    conversationState: state ?? {},
    action: { action },
    mcpTools: {},
    conversationId,
    requestedModel: modelId === undefined ? undefined : { modelId },
    runId,
  });
  Object.assign(value, extra);
  return { message: { case: 'runRequest', value } };
}

type Action = MessageInitShape<typeof agent.ConversationActionSchema>['action'];

function say(text: string): Action {
  return { case: 'userMessageAction', value: { userMessage: { text } } };
}

function resume(): Action {
  return { case: 'resumeAction', value: {} };
}
