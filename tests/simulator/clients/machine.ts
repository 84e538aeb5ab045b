import type { BlobStore } from '@tandem/client';
import { encodeHex } from '@tandem/proto';

/** Something that was carried out and can't be undone. */
export interface Effect {
  /** Of the call that it was done for (model/tool-plan.ts). */
  readonly name: string;
  /** The attempt that was asked. */
  readonly requestId: string;
  /** Ms of the run. */
  readonly at: number;
}

/** A user's machine: the blobs of its conversations, its files, and what was done on it. */
export class Machine {
  /** By id in hex. */
  readonly blobs = new Map<string, Uint8Array>();
  /** Ids of blobs that were refused, once each. */
  readonly refusedBlobs = new Set<string>();
  readonly files = new Map<string, string>();
  readonly effects: Effect[] = [];

  /** Its blobs as a client's store. @param refuses whether a blob, by its id in hex, is not taken; @param answered waited for */
  blobStore(refuses: (blobId: string) => boolean, answered: () => Promise<void>): BlobStore {
    return {
      get: async (id) => {
        const data = this.blobs.get(encodeHex(id));
        await answered();
        return data;
      },
      set: async (id, data) => {
        const name = encodeHex(id);
        const refused = refuses(name);
        if (refused) this.refusedBlobs.add(name);
        else this.blobs.set(name, data);
        await answered();
        if (refused) throw new Error('no room');
      },
    };
  }
}
