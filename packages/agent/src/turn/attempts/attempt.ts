import type { Position } from '@tandem/actor-core';
import { type agent, decodeHex } from '@tandem/proto';
import { BLOB_TIMER } from '../blobs/blobs.ts';
import { neededWrites } from '../blobs/pending-writes.ts';
import { askContext } from '../context/request-context.ts';
import { comparePositions, later } from '../position.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { stateDigest } from '../transcript/checkpoint-digest.ts';
import { writeDraft } from '../transcript/commit.ts';
import { repeatRequests } from './repeat-requests.ts';
import { withheldFrames } from './sent-requests.ts';

/**
 * A client tries again. Nothing runs again: its reader starts behind what the client is known to have. Requests from
 * before that place which it has not answered are made again, since its reader won't see them; those behind it, it gets
 * as they are, but for those that could do something twice.
 */
export function decideAttempt(step: Step, requestId: string, message: agent.AgentClientMessage): void {
  const { state } = step;
  const start = startOf(state, message);
  const withheld = withheldFrames(state, start);
  step.add({ kind: 'attempt', requestId, start, withheld });
  if (state.ended) return;
  const lost = (at: Position) => start !== undefined && comparePositions(at, start) <= 0;
  for (const { id, data, at } of neededWrites(state)) {
    if (lost(at)) step.setBlob(id, data);
  }
  for (const { id, at } of state.restore.asked.values()) {
    if (!lost(at)) continue;
    const message = { case: 'getBlobArgs', value: { blobId: decodeHex(id) } } as const;
    step.frame({ case: 'kvServerMessage', value: { id: step.state.nextKv, message } });
  }
  if (state.context.status === 'asked' && lost(state.context.at)) askContext(step);
  repeatRequests(step, lost, withheld);
  writeDraft(step);
  // Who has just been asked has all the time to answer.
  step.stopTimer(BLOB_TIMER);
}

/** A gateway ended a response cleanly; what it says the client got counts when nothing stood between the two. */
export function decideResponseEnded(step: Step, position: Position, trusted: boolean): void {
  const { known } = step.state.delivery;
  if (!trusted || (known && comparePositions(position, known) <= 0)) return;
  step.record({
    case: 'clientHas',
    value: { position: { entry: BigInt(position.entry), item: position.item } },
  });
}

/**
 * The last place up to which the client has everything: the newest of the checkpoint that it sent back, a frame whose
 * request it answered, and the end of a clean response. Undefined: the client may lack everything.
 */
function startOf(
  { delivery, ended }: TurnState,
  { message }: agent.AgentClientMessage,
): Position | undefined {
  const state = message.case === 'runRequest' ? message.value.conversationState : undefined;
  const digest = state && stateDigest(state);
  const sentBack = delivery.checkpoints.findLast((checkpoint) => checkpoint.digest === digest)?.at;
  const start = later(sentBack, delivery.known);
  if (!start || !ended || !delivery.last) return start;
  // The end of the stream is behind the last item, and is never left out.
  return comparePositions(start, delivery.last) > 0 ? delivery.last : start;
}
