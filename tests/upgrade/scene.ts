import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import type { ClientMessage, ClientScript, Reaction, Reactions } from './client.ts';
import type { Answer } from './model.ts';

/** What is played for one fixture. */
export interface Scene {
  /** Turns of one conversation; the last one is what the fixture is about. */
  readonly turns: readonly (ClientScript & { readonly model: readonly Answer[] })[];
  /** After how many entries of the last turn's journal another worker takes over, one after the other. */
  readonly takeovers?: readonly number[];
  /** The client's reader goes away for good. */
  readonly leaves?: boolean;
  readonly maxRecordBytes?: number;
}

export type Action = NonNullable<MessageInitShape<typeof agent.ConversationActionSchema>['action']>;
export type Run = Omit<MessageInitShape<typeof agent.AgentRunRequestSchema>, '$typeName'>;
type Turn = Scene['turns'][number];

export const CONTEXT: ClientScript['context'] = {
  env: {
    osVersion: 'linux 6',
    shell: 'bash',
    workspacePaths: ['/work'],
    timeZone: 'UTC',
    terminalsFolder: '/terminals',
  },
};
export const MCP = create(agent.McpToolDefinitionSchema, {
  name: 'it',
  toolName: 'it',
  providerIdentifier: 'server',
  description: 'does it',
});

export const user = (text: string): Action => ({
  case: 'userMessageAction',
  value: { userMessage: { text, messageId: `m-${text}` } },
});
export const run =
  (action: Action | undefined, more: Run = {}): ClientScript['opening'] =>
  (conversationState) => ({
    case: 'runRequest',
    value: {
      conversationState: conversationState ?? {},
      action: { action },
      conversationId: 'c1',
      requestedModel: { modelId: 'scripted' },
      ...more,
    } as Run,
  });
export const act = (afterMs: number, action: Action): Reaction => [
  afterMs,
  { send: { case: 'conversationAction', value: { action } } as ClientMessage },
];
export const inject = (afterMs: number, id: string, expectedRunId = ''): Reaction =>
  act(afterMs, {
    case: 'injectContextAction',
    value: {
      injectionId: id,
      expectedRunId,
      payload: {
        case: 'userContext',
        value: { userMessage: { text: `rather ${id}`, messageId: `m-${id}` } },
      },
    },
  });

export function turn(model: readonly Answer[], more: Partial<ClientScript> = {}): Turn {
  return { requestId: 'r1', opening: run(user('hello')), context: CONTEXT, model, ...more };
}
export const one = (
  model: readonly Answer[],
  reactions?: Reactions,
  more: Partial<ClientScript> = {},
): Scene => ({
  turns: [turn(model, { ...more, reactions })],
});
/** One answer with calls, and one with their results. */
export const tools = (
  calls: NonNullable<Answer['calls']>,
  reactions?: Reactions,
  more: Partial<ClientScript> = {},
) => one([{ text: 'Let me see.', calls }, { text: 'That is what I found out.' }], reactions, more);
