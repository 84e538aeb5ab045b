import type { Part } from '@tandem/actor-core';

/** The header that says which piece of which message a record holds: set, index and count, separated by spaces. */
export const PART_HEADER = 'Tandem-Part';

export function encodePart({ set, index, count }: Part): string {
  return `${set} ${index} ${count}`;
}

/** A record without a sound header is taken for a whole message, named by its sequence. */
export function decodePart(header: string | undefined, sequence: number): Part {
  const [set, index, count] = header?.split(' ') ?? [];
  const part = { set: set ?? '', index: Number(index), count: Number(count) };
  const sound = part.set !== '' && part.count >= 1 && part.index >= 0 && part.index < part.count;
  return sound ? part : { set: `?${sequence}`, index: 0, count: 1 };
}
