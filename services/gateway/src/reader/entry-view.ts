import { TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';

/** As much of a journal entry as a relay looks at. Frames share the payload's memory. */
export interface EntryView {
  readonly generation: number;
  readonly number: number;
  /** When its first item was decided, milliseconds since 1970 by the clock of the worker. */
  readonly at: number;
  /** One an item: the frame's bytes, whether it ends the generation, or nothing of interest. */
  readonly items: readonly (Uint8Array | 'ended' | 'other')[];
}

const fieldOf = (name: string, of: { fields: readonly { name: string; number: number }[] }) =>
  of.fields.find((field) => field.name === name)?.number ?? 0;
const ENTRY_GENERATION = fieldOf('generation', tandem.EntrySchema);
const ENTRY_NUMBER = fieldOf('number', tandem.EntrySchema);
const ENTRY_AT = fieldOf('at_ms', tandem.EntrySchema);
const ENTRY_ITEMS = fieldOf('items', tandem.EntrySchema);
const ITEM_FRAME = fieldOf('frame', tandem.ItemSchema);
const ITEM_ENDED = fieldOf('ended', tandem.ItemSchema);

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/**
 * Looks into an encoded `tandem.v1.Entry` without building its messages: a relay does this for each entry of each
 * stream, and the full decoder costs it several times the rest of its work.
 *
 * @throws TandemError internal when the bytes are no entry
 */
export function viewEntry(payload: Uint8Array): EntryView {
  // Views into a plain array are made several times as fast as those into a Buffer.
  const bytes = new Uint8Array(payload.buffer, payload.byteOffset, payload.length);
  const cursor = { at: 0 };
  const items: (Uint8Array | 'ended' | 'other')[] = [];
  let generation = 0;
  let number = 0;
  let at = 0;
  while (cursor.at < bytes.length) {
    const tag = readVarint(bytes, cursor);
    const field = Math.floor(tag / 8);
    if (field === ENTRY_ITEMS) {
      const end = readEnd(bytes, cursor);
      items.push(viewItem(bytes, cursor, end));
      cursor.at = end;
    } else if (field === ENTRY_GENERATION) generation = readVarint(bytes, cursor);
    else if (field === ENTRY_NUMBER) number = readVarint(bytes, cursor);
    else if (field === ENTRY_AT) at = readVarint(bytes, cursor);
    else skip(bytes, cursor, tag % 8);
  }
  return { generation, number, at, items };
}

/** @param cursor at the item's first byte */
function viewItem(bytes: Uint8Array, cursor: { at: number }, end: number): Uint8Array | 'ended' | 'other' {
  if (cursor.at === end) return 'other';
  const field = Math.floor(readVarint(bytes, cursor) / 8);
  if (field !== ITEM_FRAME) return field === ITEM_ENDED ? 'ended' : 'other';
  const frameEnd = readEnd(bytes, cursor);
  return bytes.subarray(cursor.at, frameEnd);
}

function readVarint(bytes: Uint8Array, cursor: { at: number }): number {
  let value = 0;
  for (let factor = 1; factor < 2 ** 63; factor *= 128) {
    const byte = bytes[cursor.at++];
    if (byte === undefined) break;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return value;
  }
  throw new TandemError('internal', { message: 'journal entry cannot be decoded' });
}

/** Reads the length of what follows. @returns where that ends */
function readEnd(bytes: Uint8Array, cursor: { at: number }): number {
  const length = readVarint(bytes, cursor);
  const end = cursor.at + length;
  if (end > bytes.length) throw new TandemError('internal', { message: 'journal entry is cut off' });
  return end;
}

function skip(bytes: Uint8Array, cursor: { at: number }, wireType: number): void {
  if (wireType === VARINT) readVarint(bytes, cursor);
  else if (wireType === BYTES) cursor.at = readEnd(bytes, cursor);
  else if (wireType === FIXED64) cursor.at += 8;
  else if (wireType === FIXED32) cursor.at += 4;
  else throw new TandemError('internal', { message: 'journal entry cannot be decoded' });
}
