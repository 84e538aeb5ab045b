import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

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

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** Blobs above this are not cached: they would push out many that are asked for as often. */
const MAX_BLOB_BYTES = 4 * 1024 * 1024;

/**
 * A cache whose store sees neither contents nor ids: names are keyed hashes over owner and blob id, contents are
 * sealed with AES-256-GCM under the client's own key. Without that key nothing can be found or read.
 */
export function sealedBlobCache(store: BlobStore, onFault: (error: unknown) => void): BlobCache {
  return {
    async get(scope, ids) {
      const found = new Map<string, Uint8Array>();
      if (!isUsable(scope)) return found;
      const sealed = await store.get(ids.map((id) => nameOf(scope, id))).catch((error) => {
        onFault(error);
        return [];
      });
      for (const [index, id] of ids.entries()) {
        const data = open(scope, id, sealed[index]);
        if (data && createHash('sha256').update(data).digest('hex') === id) found.set(id, data);
      }
      return found;
    },
    async put(scope, blobs) {
      if (!isUsable(scope)) return;
      const small = blobs.filter(({ data }) => data.length <= MAX_BLOB_BYTES);
      const entries = small.map(({ id, data }) => ({
        name: nameOf(scope, id),
        sealed: seal(scope, id, data),
      }));
      await store.put(entries).catch(onFault);
    },
  };
}

function isUsable({ key }: BlobScope): boolean {
  return key.length === KEY_BYTES;
}

function nameOf({ ownerId, key }: BlobScope, id: string): string {
  return createHmac('sha256', key).update(`${ownerId}\0${id}`).digest('base64url');
}

function seal({ ownerId, key }: BlobScope, id: string, data: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(`${ownerId}\0${id}`));
  const body = [nonce, cipher.update(data), cipher.final()];
  return Buffer.concat([...body, cipher.getAuthTag()]);
}

function open(
  { ownerId, key }: BlobScope,
  id: string,
  sealed: Uint8Array | undefined,
): Uint8Array | undefined {
  if (!sealed || sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(`${ownerId}\0${id}`)).setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    // Sealed under another key, or damaged: as good as absent, and the client is asked.
    return undefined;
  }
}
