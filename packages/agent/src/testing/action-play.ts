import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import type { ModelMessage } from '../model/message.ts';
import type { ClientMessage, TestTurn } from './test-turn.ts';

export type Action = NonNullable<MessageInitShape<typeof agent.ConversationActionSchema>['action']>;

/** A run request with any action. */
export function actionRequest(
  action: Action | undefined,
  more: Omit<MessageInitShape<typeof agent.AgentRunRequestSchema>, '$typeName'> = {},
): ClientMessage {
  return {
    case: 'runRequest',
    value: {
      conversationState: {},
      action: action && { action },
      conversationId: 'c1',
      requestedModel: { modelId: 'test-model' },
      ...more,
    },
  };
}

/** An action while the turn runs. */
export function act(turn: TestTurn, action: Action): void {
  turn.command({ case: 'conversationAction', value: { action } });
}

/** All text of one message. */
export function textOf(message: ModelMessage | undefined): string {
  if (!message) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => ('text' in part ? part.text : '')).join('\n');
}
