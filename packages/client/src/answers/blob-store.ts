import { encodeHex } from '@tandem/proto';

/** Where a client keeps the blobs of its conversations. Ids are opaque bytes. */
export interface BlobStore {
  get(id: Uint8Array): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /** @throws anything when the blob cannot be kept; the server then learns that it is not */
  set(id: Uint8Array, data: Uint8Array): void | Promise<void>;
}

/** Blobs in memory. */
export class MemoryBlobStore implements BlobStore {
  readonly #blobs = new Map<string, Uint8Array>();

  get size(): number {
    return this.#blobs.size;
  }

  get(id: Uint8Array): Uint8Array | undefined {
    return this.#blobs.get(encodeHex(id));
  }

  set(id: Uint8Array, data: Uint8Array): void {
    this.#blobs.set(encodeHex(id), data);
  }

  /** All blobs, by their ids in hex. */
  entries(): IterableIterator<[string, Uint8Array]> {
    return this.#blobs.entries();
  }
}
