import { createHash } from 'node:crypto';
import type { Position } from '@tandem/actor-core';

/** What a turn remembers of the blobs that it has a client keep. */
export interface BlobsState {
  /** Blob writes that the client has not confirmed, by KV id. */
  readonly pendingWrites: ReadonlyMap<number, PendingWrite>;
  /** KV ids count over all attempts: a later attempt's reader also gets requests of earlier ones. */
  readonly nextKv: number;
}

export interface PendingWrite {
  readonly id: Uint8Array;
  readonly data: Uint8Array;
  readonly at: Position;
  /** How often the write had been refused before this one. */
  readonly refusals: number;
  readonly refused: boolean;
  /** Nothing that is still to be sent refers to it. */
  readonly replaced: boolean;
}

export const BLOBS: BlobsState = { pendingWrites: new Map(), nextKv: 0 };

/** The id of a blob: the SHA-256 of its data. */
export function blobId(data: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(data).digest());
}

/** Whether the data is the blob of that id. */
export function isBlob(id: Uint8Array, data: Uint8Array): boolean {
  return Buffer.compare(blobId(data), id) === 0;
}
