import type { TurnState } from '../state.ts';
import type { PendingWrite } from './state.ts';

/** How often a write that the client refused is repeated. */
const REPEATS = 1;

/** Writes that something which is still to be sent refers to. What a newer structure has replaced nobody waits for. */
export function neededWrites({ pendingWrites }: TurnState): PendingWrite[] {
  return [...pendingWrites.values()].filter(({ replaced }) => !replaced);
}

/** Marks what a new structure of the turn takes the place of. */
export function replaceWrites(
  writes: TurnState['pendingWrites'],
  ids: readonly (Uint8Array | undefined)[],
): TurnState['pendingWrites'] {
  const old = ids.filter((id) => id !== undefined);
  const isOld = ({ id }: PendingWrite) => old.some((other) => Buffer.compare(other, id) === 0);
  if (![...writes.values()].some(isOld)) return writes;
  return new Map(
    [...writes].map(([kvId, write]) => [kvId, isOld(write) ? { ...write, replaced: true } : write]),
  );
}

/** A refused write that is worth another try. */
export function repeatable({ refused, refusals }: PendingWrite): boolean {
  return refused && refusals < REPEATS;
}

/** Whether a write was refused for good: what refers to it can't be brought to the client. */
export function isRejected(state: TurnState): boolean {
  return neededWrites(state).some((write) => write.refused && !repeatable(write));
}
