import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { neededWrites } from '../blobs/pending-writes.ts';
import { customModeId, modeOf } from '../context/mode.ts';
import { requestedModel } from '../context/requested-model.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { changedFields } from '../tool-calls/changes.ts';
import { transcriptIds } from './transcript.ts';

/**
 * Sends a checkpoint when one is due and every blob that it could newly refer to is confirmed: it never names what the
 * client may not have.
 */
export function proceedCheckpoint(step: Step): boolean {
  if (!step.state.checkpointDue || neededWrites(step.state).length > 0) return false;
  sendCheckpoint(step);
  return true;
}

export function sendCheckpoint(step: Step): void {
  const maxTokens = step.config.models.find(requestedModel(step.state))?.contextWindow ?? 0;
  step.frame({ case: 'conversationCheckpointUpdate', value: buildCheckpoint(step.state, maxTokens) });
}

/** The conversation as it is now. What this server does not know of a checkpoint is carried over as it came. */
export function buildCheckpoint(state: TurnState, maxTokens: number): agent.ConversationStateStructure {
  const base = state.request?.run.conversationState ?? create(agent.ConversationStateStructureSchema);
  const { turn } = state;
  if (!turn?.written) return base;
  const rootPromptMessagesJson = transcriptIds(state);
  if (turn.draftMessage) rootPromptMessagesJson.push(turn.draftMessage);
  return {
    ...base,
    rootPromptMessagesJson,
    turns: [
      ...base.turns.slice(0, base.turns.length - turn.replacedTurns),
      ...state.formerTurns,
      turn.written,
    ],
    pendingToolCalls: state.toolCalls.filter(({ output }) => !output).map(({ callId }) => callId),
    tokenDetails: create(agent.ConversationTokenDetailsSchema, {
      usedTokens: state.contextTokens || (base.tokenDetails?.usedTokens ?? 0),
      maxTokens,
    }),
    mode: modeOf(state),
    durableCustomModeId: customModeId(state),
    ...changedFields(state),
    conversationStartedTimestampMs: base.conversationStartedTimestampMs ?? BigInt(turn.startedAt),
  };
}
