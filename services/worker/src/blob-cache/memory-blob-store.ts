import type { Clock } from '@tandem/actor-core';
import type { BlobStore } from './blob-cache.ts';

/** Keeps the blobs used last, up to a number of bytes, for a while since they were put or used. */
export class MemoryBlobStore implements BlobStore {
  readonly #clock: Clock;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  /** In order of use: a Map keeps the order of insertion. */
  readonly #entries = new Map<string, { readonly sealed: Uint8Array; readonly usedAt: number }>();
  #bytes = 0;

  constructor(options: { clock: Clock; maxBytes: number; maxAgeMs: number }) {
    this.#clock = options.clock;
    this.#maxBytes = options.maxBytes;
    this.#maxAgeMs = options.maxAgeMs;
  }

  async get(names: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    return names.map((name) => {
      const entry = this.#take(name);
      if (!entry || this.#clock.now() - entry.usedAt > this.#maxAgeMs) return undefined;
      this.#add(name, entry.sealed);
      return entry.sealed;
    });
  }

  async put(entries: readonly { readonly name: string; readonly sealed: Uint8Array }[]): Promise<void> {
    for (const { name, sealed } of entries) {
      this.#take(name);
      this.#add(name, sealed);
    }
    for (const name of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#take(name);
    }
  }

  #add(name: string, sealed: Uint8Array): void {
    this.#entries.set(name, { sealed, usedAt: this.#clock.now() });
    this.#bytes += sealed.length;
  }

  #take(name: string) {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    this.#entries.delete(name);
    this.#bytes -= entry.sealed.length;
    return entry;
  }
}
