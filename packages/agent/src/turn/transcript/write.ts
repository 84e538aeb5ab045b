import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import type { ModelMessage } from '../../model/message.ts';
import { encodeMessage } from '../../model/message-json.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';

/** Adds a message to the transcript. */
export function appendMessage(step: Step, message: ModelMessage): void {
  const blobId = step.write(encodeMessage(message));
  step.record({ case: 'transcriptAppended', value: { blobId } });
}

/** Adds a step to the turn's structure. */
export function appendStep(
  step: Step,
  message: MessageInitShape<typeof agent.ConversationStepSchema>['message'],
): void {
  const value = create(agent.ConversationStepSchema, { message });
  const blobId = step.write(toBinary(agent.ConversationStepSchema, value));
  step.record({ case: 'stepAppended', value: { blobId } });
}

/** Writes the turn's structure as it is now: a step boundary, to be followed by a checkpoint. */
export function writeTurn(step: Step): void {
  const { turn } = step.state;
  if (!turn) return;
  const blobId = step.write(encodeTurn(step.state, turn.steps));
  step.record({ case: 'turnWritten', value: { blobId } });
}

export function encodeTurn({ turn, facts }: TurnState, steps: readonly Uint8Array[]): Uint8Array {
  const value = {
    userMessage: turn?.userMessage,
    userMessageId: turn?.userMessageId || undefined,
    steps: [...steps],
    requestId: facts.requestId,
  };
  return toBinary(
    agent.ConversationTurnStructureSchema,
    create(agent.ConversationTurnStructureSchema, { turn: { case: 'agentConversationTurn', value } }),
  );
}

export function startStep(step: Step): void {
  if (step.state.step.open) return;
  step.update({ case: 'stepStarted', value: { stepId: BigInt(step.state.step.count) } }, step.now);
}

export function endStep(step: Step): void {
  const { open, count, startedAt } = step.state.step;
  if (!open) return;
  const stepDurationMs = BigInt(Math.max(0, step.now - startedAt));
  step.update({ case: 'stepCompleted', value: { stepId: BigInt(count - 1), stepDurationMs } });
}
