import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import type { BlobStore } from './blob-store.ts';

/**
 * Answers one blob operation from the store. A blob that is not known is answered without data and without an error; an
 * empty one has data of length 0. Returns undefined for an operation that is not known.
 */
export async function answerKv(
  request: agent.KvServerMessage,
  blobs: BlobStore,
): Promise<MessageInitShape<typeof agent.KvClientMessageSchema> | undefined> {
  const { id, message } = request;
  switch (message.case) {
    case 'getBlobArgs': {
      return { id, message: { case: 'getBlobResult', value: await find(blobs, message.value) } };
    }
    case 'setBlobArgs': {
      const error = await keep(blobs, message.value);
      return { id, message: { case: 'setBlobResult', value: { error } } };
    }
    default:
      return undefined;
  }
}

async function find(blobs: BlobStore, { blobId }: agent.GetBlobArgs) {
  try {
    return { blobData: await blobs.get(blobId) };
  } catch (error) {
    return { error: { message: text(error) } };
  }
}

async function keep(blobs: BlobStore, { blobId, blobData }: agent.SetBlobArgs) {
  try {
    await blobs.set(blobId, blobData);
    return undefined;
  } catch (error) {
    return { message: text(error) };
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
