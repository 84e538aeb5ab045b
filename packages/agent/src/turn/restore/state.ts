import type { Position } from '@tandem/actor-core';
import { type agent, encodeHex } from '@tandem/proto';
import { isBlob } from '../blobs/blob-id.ts';
import { decodeBlob, type Restored, type WantedKind, wantedBlobs } from './wanted-blobs.ts';

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

export const EMPTY_RESTORE: Restore = {
  wanted: [],
  byId: new Map(),
  contents: [],
  missing: 0,
  asked: new Map(),
  fault: undefined,
};

/**
 * What a request refers to; blobs that the client sent along are taken where they are what they claim to be.
 * @param former what was restored for the stream before, in a prewarm
 */
export function startRestore(
  former: Restore,
  run: agent.AgentRunRequest,
  action: agent.ConversationAction | undefined,
): Restore {
  const restore = extendRestore(former, wantedBlobs(run, action));
  const sent = new Map(run.preFetchedBlobs.map(({ id, value }) => [encodeHex(id), value]));
  return putBlobs(restore, sent);
}

/** More blobs are needed than before; what is there or was asked for stays so. */
export function extendRestore(
  restore: Restore,
  more: readonly { readonly kind: WantedKind; readonly id: Uint8Array }[],
): Restore {
  const wanted = [...restore.wanted];
  const contents = [...restore.contents];
  const byId = new Map(restore.byId);
  let { missing } = restore;
  for (const { kind, id } of more) {
    const hex = encodeHex(id);
    const indexes = byId.get(hex) ?? [];
    if (indexes.some((index) => wanted[index]?.kind === kind)) continue;
    byId.set(hex, [...indexes, wanted.length]);
    wanted.push({ kind, id, hex });
    contents.push(undefined);
    missing += 1;
  }
  return missing === restore.missing ? restore : { ...restore, wanted, byId, contents, missing };
}

/** Takes blobs in; such as are not wanted, already there, or not the blobs of their ids are left. */
export function putBlobs(restore: Restore, blobs: ReadonlyMap<string, Uint8Array>): Restore {
  const contents = [...restore.contents];
  let { missing, fault } = restore;
  for (const [hex, data] of blobs) {
    for (const index of restore.byId.get(hex) ?? []) {
      const wanted = restore.wanted[index];
      if (!wanted || contents[index] || !isBlob(wanted.id, data)) continue;
      const content = decodeBlob(wanted.kind, data);
      if (content) {
        contents[index] = content;
        missing -= 1;
      } else {
        fault ??= `A ${wanted.kind} of the conversation can't be read.`;
      }
    }
  }
  return { ...restore, contents, missing, fault };
}

/** The client was asked for a blob. */
export function askBlob(restore: Restore, kvId: number, id: Uint8Array, at: Position): Restore {
  const hex = encodeHex(id);
  const asked = new Map([...restore.asked].filter(([, other]) => other.id !== hex));
  return { ...restore, asked: asked.set(kvId, { id: hex, at }) };
}

/** The client answered; no data means that it does not have the blob. */
export function answerBlob(restore: Restore, kvId: number, data: Uint8Array | undefined): Restore {
  const question = restore.asked.get(kvId);
  if (!question) return restore;
  const asked = new Map(restore.asked);
  asked.delete(kvId);
  const next = data ? putBlobs({ ...restore, asked }, new Map([[question.id, data]])) : { ...restore, asked };
  const lacks = restore.byId.get(question.id)?.some((index) => !next.contents[index]);
  return lacks
    ? { ...next, fault: next.fault ?? 'A part of the conversation is missing on the client.' }
    : next;
}

/** Blobs that are neither there nor asked for, as hex ids, without repeats. */
export function unaskedBlobs(restore: Restore): Wanted[] {
  if (restore.missing === 0) return [];
  const skip = new Set([...restore.asked.values()].map(({ id }) => id));
  return restore.wanted.filter(({ hex }, index) => {
    if (restore.contents[index] || skip.has(hex)) return false;
    skip.add(hex);
    return true;
  });
}

/** A blob's content, when it was wanted as that kind and is there. */
export function restored<K extends WantedKind>(
  restore: Restore,
  kind: K,
  id: Uint8Array,
): Extract<Restored, { kind: K }> | undefined {
  for (const index of restore.byId.get(encodeHex(id)) ?? []) {
    const content = restore.contents[index];
    if (content?.kind === kind) return content as Extract<Restored, { kind: K }>;
  }
  return undefined;
}
