import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import type { Action } from './action-play.ts';
import { mutateBytes, mutateFields, type Random } from './mutate.ts';
import type { ClientMessage } from './test-turn.ts';
import { content, type ExecAnswer, WRITTEN } from './tool-play.ts';

/** A request that opens a turn by this. */
export function withAction(action: Action | undefined): ClientMessage {
  return {
    case: 'runRequest',
    value: {
      conversationState: {},
      action: { action },
      conversationId: 'c1',
      requestedModel: { modelId: 'test-model' },
    },
  };
}

export const PREWARM: ClientMessage = {
  case: 'prewarmRequest',
  value: { conversationState: {}, conversationId: 'c1', requestedModel: { modelId: 'test-model' } },
};

/** Of each kind that means something in or before a turn. */
export const ACTIONS: readonly Action[] = [
  { case: 'userMessageAction', value: { userMessage: { text: 'more' } } },
  { case: 'resumeAction', value: {} },
  { case: 'summarizeAction', value: {} },
  { case: 'shellCommandAction', value: { shellCommand: { command: 'ls' }, execId: 'e' } },
  { case: 'startPlanAction', value: { userMessage: { text: 'plan' } } },
  { case: 'executePlanAction', value: { planFileContent: 'do' } },
  { case: 'asyncAskQuestionCompletionAction', value: { originalToolCallId: 'c1' } },
  { case: 'cancelSubagentAction', value: { subagentId: 'c1' } },
  { case: 'backgroundTaskCompletionAction', value: { completions: [{ taskId: '1' }] } },
  { case: 'backgroundShellAction', value: { toolCallId: 'c1' } },
  { case: 'backgroundSubagentAction', value: { toolCallId: 'c1' } },
  { case: 'subscriptionNotificationAction', value: { notifications: [{ text: 'n' }] } },
  { case: 'goalContinuationAction', value: {} },
  {
    case: 'injectContextAction',
    value: { injectionId: 'i', payload: { case: 'userContext', value: { userMessage: { text: 'steer' } } } },
  },
  {
    case: 'injectContextAction',
    value: { injectionId: 'j', payload: { case: 'systemContext', value: { content: 's' } } },
  },
];

/** Answers to execs, whether they fit or not. */
export const EXEC_ANSWERS: readonly ExecAnswer[] = [
  content('text'),
  WRITTEN,
  { case: 'shellStream', value: { event: { case: 'stdout', value: { data: 'out' } } } },
  { case: 'shellStream', value: { event: { case: 'exit', value: { code: 0 } } } },
  { case: 'grepResult', value: {} },
  { case: 'requestContextResult', value: { result: { case: 'success', value: { requestContext: {} } } } },
];

/** A message with some of its fields changed, encoded; of one in four the bytes, too. */
export function mutated(message: ClientMessage, random: Random): Uint8Array {
  const schema = agent.AgentClientMessageSchema;
  const whole = create(schema, { message });
  for (let count = random(4); count > 0; count--) mutateFields(schema, whole, random);
  const bytes = toBinary(schema, whole);
  return random(4) === 0 ? mutateBytes(bytes, random) : bytes;
}

/** What a gateway makes of the bytes: undefined when they are not even a message. */
export function decodeMutated(bytes: Uint8Array): agent.AgentClientMessage | undefined {
  try {
    return fromBinary(agent.AgentClientMessageSchema, bytes);
  } catch {
    // Whatever it is that the decoder minds.
    return undefined;
  }
}
