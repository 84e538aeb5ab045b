import type { Position } from '@tandem/actor-core';
import type { agent } from '@tandem/proto';
import { clientHas } from '../delivery.ts';
import type { TurnState } from '../state.ts';
import type { PendingWrite } from './state.ts';

/** The client was asked to keep a blob. */
export function evolveWrite(
  state: TurnState,
  { id, message }: agent.KvServerMessage,
  at: Position,
): TurnState {
  const nextKv = id + 1;
  if (message.case !== 'setBlobArgs') return { ...state, nextKv };
  const { blobId, blobData } = message.value;
  const pendingWrites = new Map<number, PendingWrite>();
  let refusals = 0;
  for (const [kvId, write] of state.pendingWrites) {
    // A repeated write takes the place of the one it repeats.
    if (Buffer.compare(write.id, blobId) === 0) refusals = write.refusals + (write.refused ? 1 : 0);
    else pendingWrites.set(kvId, write);
  }
  pendingWrites.set(id, { id: blobId, data: blobData, at, refusals, refused: false, replaced: false });
  return { ...state, nextKv, pendingWrites };
}

/** The client has kept a blob, or refused to. */
export function evolveWriteResult(state: TurnState, { id, message }: agent.KvClientMessage): TurnState {
  const write = state.pendingWrites.get(id);
  if (message.case !== 'setBlobResult' || !write) return state;
  const pendingWrites = new Map(state.pendingWrites);
  if (message.value.error) pendingWrites.set(id, { ...write, refused: true });
  else pendingWrites.delete(id);
  return clientHas({ ...state, pendingWrites }, write.at);
}
