/**
 * Names the set of a journal entry: `<epoch>.<number>`, and the writer's id.
 * @param writerId unique to the writer: of two that acquire the same epoch at once, neither may take the other's record for its own
 */
export function journalSet(epoch: number, number: number, writerId?: string): string {
  return writerId === undefined ? `${epoch}.${number}` : `${epoch}.${number}.${writerId}`;
}

/** A journal entry of a newer owner voids what an older one left unfinished. */
export function higherEpochVoids(set: string, open: string): boolean {
  return epochOfSet(set) > epochOfSet(open);
}

/** The epoch in an entry's name. */
export function epochOfSet(set: string): number {
  return Number.parseInt(set, 10);
}
