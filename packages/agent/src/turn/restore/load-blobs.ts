import { TandemError } from '@tandem/errors';
import type { Step } from '../step.ts';
import { failed, type Verdict } from '../verdict.ts';
import { unaskedBlobs } from './evolve.ts';

/**
 * Gets the blobs that the turn needs: first from the server's cache, when the client sent the key that it is encrypted
 * with, then from the client.
 */
export function proceedRestore(step: Step): Verdict {
  const { restore, process, facts } = step.state;
  if (restore.fault) return failed(new TandemError('blob_missing', { title: restore.fault }));
  if (restore.missing === 0) return undefined;
  if (facts.info.blobEncryptionKey.length > 0 && !process.cacheAnswered) {
    if (process.cacheAsked) return undefined;
    step.local({ type: 'cache_asked' });
    step.effect({ type: 'load_blobs', ids: unaskedBlobs(restore).map(({ hex }) => hex) });
    return undefined;
  }
  const room = step.config.limits.blobsAsked - restore.asked.size;
  const next = unaskedBlobs(restore).slice(0, Math.max(0, room));
  for (const { id } of next) askBlob(step, id);
  return next.length > 0 ? 'advance' : undefined;
}

export function askBlob(step: Step, id: Uint8Array): void {
  const message = { case: 'getBlobArgs', value: { blobId: id } } as const;
  step.frame({ case: 'kvServerMessage', value: { id: step.state.nextKv, message } });
}
