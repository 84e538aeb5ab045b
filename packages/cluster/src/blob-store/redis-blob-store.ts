import { Redis } from 'ioredis';

export interface RedisBlobStoreOptions {
  readonly url: string;
  /** Blobs are forgotten so long after they were put, milliseconds. */
  readonly maxAgeMs: number;
  /** A fault of the connection; calls fail by themselves. */
  readonly onFault: (error: unknown) => void;
}

const PREFIX = 'tandem:blob:';
/** A cache that answers later than this is of no use: the client is asked instead. */
const ANSWER_MS = 500;

/** Sealed blobs in a Redis that may evict them (`allkeys-lru`): a store of its own, never the one of leases and jobs. */
export class RedisBlobStore {
  readonly #redis: Redis;
  readonly #maxAgeMs: number;

  constructor({ url, maxAgeMs, onFault }: RedisBlobStoreOptions) {
    this.#redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: ANSWER_MS,
      connectionName: 'tandem-blobs',
    });
    this.#redis.on('error', onFault);
    this.#maxAgeMs = maxAgeMs;
  }

  /** @throws Error when the store does not answer in time */
  async get(names: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    if (names.length === 0) return [];
    const found = await this.#redis.mgetBuffer(...names.map((name) => PREFIX + name));
    return found.map((sealed) => sealed ?? undefined);
  }

  /** @throws Error when the store does not answer in time */
  async put(entries: readonly { readonly name: string; readonly sealed: Uint8Array }[]): Promise<void> {
    if (entries.length === 0) return;
    const batch = this.#redis.pipeline();
    for (const { name, sealed } of entries)
      batch.set(PREFIX + name, Buffer.from(sealed), 'PX', this.#maxAgeMs);
    const failed = (await batch.exec())?.find(([error]) => error);
    if (failed?.[0]) throw failed[0];
  }

  close(): void {
    this.#redis.disconnect();
  }
}
