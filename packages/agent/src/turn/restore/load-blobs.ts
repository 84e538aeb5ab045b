import { TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';
import { beginEnding } from '../ending/ending.ts';
import type { Step } from '../step.ts';
import { unaskedBlobs } from './state.ts';

/**
 * Gets the blobs that the turn needs: first from the server's cache, when the client sent the key that it is encrypted
 * with, then from the client.
 */
export function proceedRestore(step: Step): boolean {
  const { restore, process, facts } = step.state;
  if (restore.fault) {
    const error = new TandemError('blob_missing', { title: restore.fault });
    beginEnding(step, tandem.TurnEnd.FAILED, error);
    return true;
  }
  if (restore.missing === 0) return false;
  if (facts.info.blobEncryptionKey.length > 0 && !process.cacheAnswered) {
    if (process.cacheAsked) return false;
    step.local({ type: 'cache_asked' });
    step.effect({ type: 'load_blobs', ids: unaskedBlobs(restore).map(({ hex }) => hex) });
    return false;
  }
  const room = step.config.limits.blobsAsked - restore.asked.size;
  const next = unaskedBlobs(restore).slice(0, Math.max(0, room));
  for (const { id } of next) {
    const message = { case: 'getBlobArgs', value: { blobId: id } } as const;
    step.frame({ case: 'kvServerMessage', value: { id: step.state.nextKv, message } });
  }
  return next.length > 0;
}
