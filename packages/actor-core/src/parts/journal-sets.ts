/** Names the set of a journal entry: `<epoch>.<number>`. */
export function journalSet(epoch: number, number: number): string {
  return `${epoch}.${number}`;
}

/** A journal entry of a newer owner voids what an older one left unfinished. */
export function higherEpochVoids(set: string, open: string): boolean {
  return epochOfSet(set) > epochOfSet(open);
}

/** The epoch in an entry's name. */
export function epochOfSet(set: string): number {
  return Number.parseInt(set, 10);
}
