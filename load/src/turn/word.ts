/** One word of a model: which one it is, and when it was written, in milliseconds since the epoch. */
export interface Word {
  readonly index: number;
  readonly writtenAt: number;
}

/** A word as the model says it, a space behind it. @param bytes its size, made up by letters that no compression gets rid of */
export function spell({ index, writtenAt }: Word, bytes = 0): string {
  const word = `${index}@${writtenAt.toFixed(3)}`;
  const missing = bytes - word.length - 2;
  return missing > 0 ? `${word}:${letters(missing, index)} ` : `${word} `;
}

/** The words of a text, in order. What is not one counts as `index` -1: nothing else should be there. */
export function wordsIn(text: string): Word[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const found = /^(\d+)@(\d+\.\d{3})(?::[a-z0-9]*)?$/.exec(word);
      return found
        ? { index: Number(found[1]), writtenAt: Number(found[2]) }
        : { index: -1, writtenAt: Number.NaN };
    });
}

/** The same for the same seed. */
function letters(count: number, seed: number): string {
  let text = '';
  // Numerical Recipes' generator: its upper bits are random enough to compress badly.
  for (let state = seed + 1; text.length < count; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += (state >>> 8).toString(36);
  }
  return text.slice(0, count);
}
