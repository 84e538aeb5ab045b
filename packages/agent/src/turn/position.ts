import type { Position } from '@tandem/actor-core';

/** The place of items that are not stored yet: before every other. */
export const NOWHERE: Position = Object.freeze({ entry: 0, item: 0 });

/** Negative when `a` comes first, 0 when they are the same place. */
export function comparePositions(a: Position, b: Position): number {
  return a.entry - b.entry || a.item - b.item;
}

/** The later of two places; undefined stands before all. */
export function later(a: Position | undefined, b: Position | undefined): Position | undefined {
  if (!a || !b) return a ?? b;
  return comparePositions(a, b) >= 0 ? a : b;
}
