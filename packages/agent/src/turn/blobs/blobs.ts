import { TandemError } from '@tandem/errors';
import { type agent, encodeHex, tandem } from '@tandem/proto';
import { beginEnding } from '../ending/ending.ts';
import type { Step } from '../step.ts';
import { blobId } from './blob-id.ts';
import { isRejected, neededWrites, repeatable } from './pending-writes.ts';

export const BLOB_TIMER = 'blobs';

/** Repeats refused writes, and keeps the clock of what the client has to answer. */
export function proceedBlobs(step: Step): boolean {
  const { state } = step;
  const needed = neededWrites(state);
  if (needed.length === 0 && state.restore.asked.size === 0) {
    step.stopTimer(BLOB_TIMER);
    return false;
  }
  step.startTimer(BLOB_TIMER, step.config.limits.blobMs);
  const write = needed.find(repeatable);
  if (write) {
    step.setBlob(write.id, write.data);
    return true;
  }
  if (state.ending || !isRejected(state)) return false;
  beginEnding(step, tandem.TurnEnd.FAILED, new TandemError('blob_rejected'));
  return true;
}

/** The client answered a blob request: its clock starts anew, and what it brought is worth keeping. */
export function decideKvAnswer(step: Step, { message }: agent.KvClientMessage): void {
  step.stopTimer(BLOB_TIMER);
  if (message.case !== 'getBlobResult' || !message.value.blobData) return;
  const { state } = step;
  const data = message.value.blobData;
  const id = encodeHex(blobId(data));
  // What was not asked for is not kept.
  if (state.facts.info.blobEncryptionKey.length === 0 || !state.restore.byId.has(id)) return;
  step.effect({ type: 'cache_blobs', blobs: [{ id, data }] });
}

/** The client answered none of the blob requests for too long. */
export function decideBlobTimeout(step: Step): void {
  const reason = step.state.restore.asked.size > 0 ? 'blob_missing' : 'blob_rejected';
  step.local({ type: 'overdue' });
  beginEnding(
    step,
    tandem.TurnEnd.FAILED,
    new TandemError(reason, { detail: 'Your client did not answer.' }),
  );
}
