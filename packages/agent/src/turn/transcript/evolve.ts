import type { Position } from '@tandem/actor-core';
import type { agent, tandem } from '@tandem/proto';
import { decodeMessage } from '../../model/message-json.ts';
import { replaceWrites } from '../blobs/index.ts';
import type { TurnState } from '../state.ts';
import { addedBlobs, stateDigest } from './checkpoint.ts';
import type { TranscriptState } from './state.ts';

/** A message became part of the transcript; its bytes are in a write that was asked for just before. */
export function evolveAppended(
  state: TurnState,
  { blobId: id }: Pick<tandem.TranscriptAppended, 'blobId'>,
): TurnState {
  for (const write of state.pendingWrites.values()) {
    if (Buffer.compare(write.id, id) !== 0) continue;
    return { ...state, appended: [...state.appended, { id, message: decodeMessage(write.data) }] };
  }
  throw new Error('a message was appended that was not written');
}

export function evolveTurnOpened(state: TurnState, opened: tandem.TurnOpened): TurnState {
  const turn = {
    userMessage: opened.userMessageBlobId,
    steps: opened.stepBlobIds,
    userMessageId: opened.userMessageId,
    replacedTurns: opened.replacedTurns,
    startedAt: Number(opened.atMs),
    written: undefined,
    draftMessage: undefined,
  };
  const former = opened.follows ? state.turn : undefined;
  if (!former) return { ...state, turn };
  const formerTurns = former.written ? [...state.formerTurns, former.written] : state.formerTurns;
  return { ...state, formerTurns, turn: { ...turn, replacedTurns: former.replacedTurns } };
}

export function evolveStepAppended(state: TurnState, { blobId }: { readonly blobId: Uint8Array }): TurnState {
  const { turn } = state;
  return turn ? { ...state, turn: { ...turn, steps: [...turn.steps, blobId] } } : state;
}

/** The turn's structure was written: a checkpoint is due, and what it takes the place of nobody waits for. */
export function evolveTurnWritten(
  state: TurnState,
  { blobId, draftMessageBlobId }: tandem.TurnWritten,
): TurnState {
  if (!state.turn) return state;
  const { written, draftMessage } = state.turn;
  const turn = {
    ...state.turn,
    written: blobId,
    draftMessage: draftMessageBlobId.length ? draftMessageBlobId : undefined,
  };
  const next = { ...state, checkpointDue: true, turn };
  // What was written again as it was, or was a draft and became the answer, is named as before.
  const { messages, turns } = addedBlobs(next);
  const isNamed = (id: Uint8Array) =>
    [...messages, ...turns].some((other) => Buffer.compare(id, other) === 0);
  const replaced = [written, draftMessage].filter((id) => id && !isNamed(id));
  return { ...next, pendingWrites: replaceWrites(state.pendingWrites, replaced) };
}

export function evolveStep(state: TurnState, step: TranscriptState['step']): TurnState {
  return { ...state, step };
}

export function evolveCheckpoint(
  state: TurnState,
  checkpoint: agent.ConversationStateStructure,
  at: Position,
): TurnState {
  const checkpoints = [...state.delivery.checkpoints, { digest: stateDigest(checkpoint), at }];
  return { ...state, checkpointDue: false, delivery: { ...state.delivery, checkpoints } };
}
