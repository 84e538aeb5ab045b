/** Whose blobs are meant, and the key that only their client has. */
export interface BlobScope {
  readonly ownerId: string;
  /** The client's x-blob-encryption-key, 32 bytes. */
  readonly key: Uint8Array;
}

/**
 * Keeps what clients' conversations refer to, so that most turns need not ask for it. A convenience: it may forget
 * anything at any time, and a caller checks what it gets against the blob's id.
 */
export interface BlobCache {
  /** The blobs that are there, by id (lower-case hex). */
  get(scope: BlobScope, ids: readonly string[]): Promise<Map<string, Uint8Array>>;
  put(scope: BlobScope, blobs: readonly { readonly id: string; readonly data: Uint8Array }[]): Promise<void>;
}

/** Where sealed blobs lie. */
export interface BlobStore {
  get(names: readonly string[]): Promise<(Uint8Array | undefined)[]>;
  put(entries: readonly { readonly name: string; readonly sealed: Uint8Array }[]): Promise<void>;
}
