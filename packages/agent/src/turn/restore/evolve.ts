import type { Position } from '@tandem/actor-core';
import { type agent, encodeHex } from '@tandem/proto';
import { isBlob } from '../blobs/index.ts';
import { clientHas } from '../delivery.ts';
import type { TurnState } from '../state.ts';
import type { Restore, Wanted } from './state.ts';
import { decodeBlob, type Restored, type WantedKind, wantedBlobs } from './wanted-blobs.ts';

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
function putBlobs(restore: Restore, blobs: ReadonlyMap<string, Uint8Array>): Restore {
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
export function evolveRead(
  state: TurnState,
  { id, message }: agent.KvServerMessage,
  at: Position,
): TurnState {
  if (message.case !== 'getBlobArgs') return state;
  const hex = encodeHex(message.value.blobId);
  const asked = new Map([...state.restore.asked].filter(([, other]) => other.id !== hex));
  return { ...state, restore: { ...state.restore, asked: asked.set(id, { id: hex, at }) } };
}

/** The client answered; no data means that it does not have the blob. */
export function evolveReadResult(state: TurnState, { id, message }: agent.KvClientMessage): TurnState {
  const question = state.restore.asked.get(id);
  if (message.case !== 'getBlobResult' || !question) return state;
  const data = message.value.error ? undefined : message.value.blobData;
  return clientHas({ ...state, restore: answerBlob(state.restore, id, question.id, data) }, question.at);
}

/** The server's cache had these. */
export function evolveLoaded(
  { restore }: TurnState,
  found: ReadonlyMap<string, Uint8Array>,
): { restore: Restore } {
  return { restore: putBlobs(restore, found) };
}

function answerBlob(restore: Restore, kvId: number, hex: string, data: Uint8Array | undefined): Restore {
  const asked = new Map(restore.asked);
  asked.delete(kvId);
  const next = data ? putBlobs({ ...restore, asked }, new Map([[hex, data]])) : { ...restore, asked };
  const lacks = restore.byId.get(hex)?.some((index) => !next.contents[index]);
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
