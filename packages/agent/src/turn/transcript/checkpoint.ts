import { createHash } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { neededWrites } from '../blobs/index.ts';
import { customModeId, modeOf, requestedModel } from '../context/index.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import type { Verdict } from '../verdict.ts';
import { restoredIds } from './transcript.ts';

/**
 * Sends a checkpoint when one is due and every blob that it could newly refer to is confirmed: it never names what the
 * client may not have.
 */
export function proceedCheckpoint(step: Step): Verdict {
  if (!step.state.checkpointDue || neededWrites(step.state).length > 0) return undefined;
  sendCheckpoint(step);
  return 'advance';
}

export function sendCheckpoint(step: Step): void {
  const maxTokens = step.config.models.find(requestedModel(step.state))?.contextWindow ?? 0;
  step.frame({ case: 'conversationCheckpointUpdate', value: buildCheckpoint(step.state, maxTokens) });
}

/** The conversation as it is now. What this server does not know of a checkpoint is carried over as it came. */
export function buildCheckpoint(state: TurnState, maxTokens: number): agent.ConversationStateStructure {
  const base = state.request?.run.conversationState ?? create(agent.ConversationStateStructureSchema);
  const { turn } = state;
  const { todos, plan, mode } = state.changes;
  if (!turn?.written) return base;
  const added = addedBlobs(state);
  return {
    ...base,
    rootPromptMessagesJson: [...restoredIds(state), ...added.messages],
    turns: [...base.turns.slice(0, base.turns.length - turn.replacedTurns), ...added.turns],
    pendingToolCalls: state.toolCalls.filter(({ output }) => !output).map(({ callId }) => callId),
    tokenDetails: create(agent.ConversationTokenDetailsSchema, {
      usedTokens: state.contextTokens || (base.tokenDetails?.usedTokens ?? 0),
      maxTokens,
    }),
    mode: modeOf(state),
    durableCustomModeId: customModeId(state),
    ...(todos && { todos: [...todos] }),
    ...(plan && { plan }),
    ...(mode && { mode }),
    conversationStartedTimestampMs: base.conversationStartedTimestampMs ?? BigInt(turn.startedAt),
  };
}

/** The ids of the blobs that a checkpoint names beyond those that the client brought. */
export function addedBlobs({ appended, turn, formerTurns }: TurnState): {
  messages: Uint8Array[];
  turns: Uint8Array[];
} {
  const messages = appended.map(({ id }) => id);
  if (turn?.draftMessage) messages.push(turn.draftMessage);
  return { messages, turns: turn?.written ? [...formerTurns, turn.written] : [...formerTurns] };
}

/** Tells checkpoints apart, whoever encoded them: clients send back what they were sent. */
export function stateDigest(state: agent.ConversationStateStructure): string {
  const bytes = toBinary(agent.ConversationStateStructureSchema, state);
  return createHash('sha256').update(bytes).digest('base64url');
}
