import { TandemError } from '@tandem/errors';
import { type agent, encodeHex } from '@tandem/proto';
import type { Step } from '../step.ts';
import { failed, type Verdict } from '../verdict.ts';
import { isRejected, neededWrites, repeatable } from './pending-writes.ts';
import { blobId } from './state.ts';

const BLOB_TIMER = { type: 'blobs' } as const;

/** Repeats refused writes, and keeps the clock of what the client has to answer. */
export function proceedBlobs(step: Step): Verdict {
  const { state } = step;
  const needed = neededWrites(state);
  if (needed.length === 0 && state.restore.asked.size === 0) {
    step.stopTimer(BLOB_TIMER);
    return undefined;
  }
  step.startTimer(BLOB_TIMER, step.config.limits.blobMs);
  const write = needed.find(repeatable);
  if (write) {
    step.setBlob(write.id, write.data);
    return 'advance';
  }
  return state.ending || !isRejected(state) ? undefined : failed(new TandemError('blob_rejected'));
}

/** The client answered a blob request: its clock starts anew, and what it brought is worth keeping. */
export function decideKvAnswer(step: Step, { message }: agent.KvClientMessage): Verdict {
  restartBlobClock(step);
  if (message.case !== 'getBlobResult' || !message.value.blobData) return 'advance';
  const { state } = step;
  const data = message.value.blobData;
  const id = encodeHex(blobId(data));
  // What was not asked for is not kept.
  if (state.facts.info.blobEncryptionKey.length > 0 && state.restore.byId.has(id)) {
    step.effect({ type: 'cache_blobs', blobs: [{ id, data }] });
  }
  return 'advance';
}

/** The client answered none of the blob requests for too long. */
export function decideBlobTimeout(step: Step): Verdict {
  const reason = step.state.restore.asked.size > 0 ? 'blob_missing' : 'blob_rejected';
  step.local({ type: 'overdue' });
  return failed(new TandemError(reason, { detail: 'Your client did not answer.' }));
}

/** Who has just been asked has all the time to answer. */
export function restartBlobClock(step: Step): void {
  step.stopTimer(BLOB_TIMER);
}
