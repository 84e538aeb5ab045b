import { createHash } from 'node:crypto';

/** The id of a blob: the SHA-256 of its data. */
export function blobId(data: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(data).digest());
}

/** Whether the data is the blob of that id. */
export function isBlob(id: Uint8Array, data: Uint8Array): boolean {
  return Buffer.compare(blobId(data), id) === 0;
}
