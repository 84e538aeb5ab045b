import type { Position } from '@tandem/actor-core';
import type { Restored, WantedKind } from './wanted-blobs.ts';

export interface RestoreState {
  /** What the checkpoint that the client brought refers to. */
  readonly restore: Restore;
}

/** Blobs that a turn needs before it can call a model, and how far they have come. */
export interface Restore {
  readonly wanted: readonly Wanted[];
  /** Indexes in `wanted`, by blob id in hex. */
  readonly byId: ReadonlyMap<string, readonly number[]>;
  /** Aligned with `wanted`. */
  readonly contents: readonly (Restored | undefined)[];
  /** How many contents are missing. */
  readonly missing: number;
  /** Requests for blobs that are out, by KV id. */
  readonly asked: ReadonlyMap<number, { readonly id: string; readonly at: Position }>;
  /** Why it can't be completed; undefined as long as it can. */
  readonly fault: string | undefined;
}

export interface Wanted {
  readonly kind: WantedKind;
  readonly id: Uint8Array;
  readonly hex: string;
}

export const RESTORE: RestoreState = {
  restore: {
    wanted: [],
    byId: new Map(),
    contents: [],
    missing: 0,
    asked: new Map(),
    fault: undefined,
  },
};
