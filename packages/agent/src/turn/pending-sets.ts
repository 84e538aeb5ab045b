import type { PendingSet, TurnState } from './state.ts';

/** How often a write that the client refused is repeated. */
const REPEATS = 1;

/** A refused write that is worth another try. */
export function repeatable({ refused, refusals }: PendingSet): boolean {
  return refused && refusals < REPEATS;
}

/** Whether a write was refused for good: what refers to it can't be brought to the client. */
export function isRejected(state: TurnState): boolean {
  return [...state.sets.values()].some((write) => write.refused && !repeatable(write));
}
