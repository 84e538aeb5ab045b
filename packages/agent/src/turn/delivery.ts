import type { Position } from '@tandem/actor-core';
import type { TurnState } from './state.ts';

/** Negative when `a` comes first, 0 when they are the same place. */
export function comparePositions(a: Position, b: Position): number {
  return a.entry - b.entry || a.item - b.item;
}

/** The later of two places; undefined stands before all. */
export function later(a: Position | undefined, b: Position | undefined): Position | undefined {
  if (!a || !b) return a ?? b;
  return comparePositions(a, b) >= 0 ? a : b;
}

/** The client is known to have everything up to a place: who answers a request has the frame it came in. */
export function clientHas(state: TurnState, at: Position): TurnState {
  return { ...state, delivery: { ...state.delivery, known: later(state.delivery.known, at) } };
}
