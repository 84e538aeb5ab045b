/** One word of a model: which one it is, and when it was written, in milliseconds since the epoch. */
export interface Word {
  readonly index: number;
  readonly writtenAt: number;
}

/** A word as the model says it, a space behind it. */
export function spell({ index, writtenAt }: Word, bytes = 0): string {
  return `${`${index}@${writtenAt.toFixed(3)}`.padEnd(bytes - 1, '.')} `;
}

/** The words of a text, in order. What is not one counts as `index` -1: nothing else should be there. */
export function wordsIn(text: string): Word[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const found = /^(\d+)@(\d+\.\d{3})\.*$/.exec(word);
      return found
        ? { index: Number(found[1]), writtenAt: Number(found[2]) }
        : { index: -1, writtenAt: Number.NaN };
    });
}
