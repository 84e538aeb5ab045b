import type { PendingSet, TurnState } from './state.ts';

/** How often a write that the client refused is repeated. */
const REPEATS = 1;

/** Writes that something which is still to be sent refers to. What a newer structure has replaced nobody waits for. */
export function neededSets({ sets }: TurnState): PendingSet[] {
  return [...sets.values()].filter(({ replaced }) => !replaced);
}

/** Marks what a new structure of the turn takes the place of. */
export function replaceSets(
  sets: TurnState['sets'],
  ids: readonly (Uint8Array | undefined)[],
): TurnState['sets'] {
  const old = ids.filter((id) => id !== undefined);
  const isOld = ({ id }: PendingSet) => old.some((other) => Buffer.compare(other, id) === 0);
  if (![...sets.values()].some(isOld)) return sets;
  return new Map([...sets].map(([kvId, set]) => [kvId, isOld(set) ? { ...set, replaced: true } : set]));
}

/** A refused write that is worth another try. */
export function repeatable({ refused, refusals }: PendingSet): boolean {
  return refused && refusals < REPEATS;
}

/** Whether a write was refused for good: what refers to it can't be brought to the client. */
export function isRejected(state: TurnState): boolean {
  return neededSets(state).some((write) => write.refused && !repeatable(write));
}
