import { createTwoFilesPatch, diffLines } from 'diff';

/** How a change of a file is shown. */
export interface FileDiff {
  readonly linesAdded: number;
  readonly linesRemoved: number;
  /** Unified; undefined when two texts have too little in common for one to be worth its time. */
  readonly text: string | undefined;
}

/** More changed lines than this are only counted. */
const MAX_EDITS = 4_000;

export function diffFile(path: string, before: string, after: string): FileDiff {
  const changes = diffLines(before, after, { maxEditLength: MAX_EDITS });
  if (!changes) return { linesAdded: lineCount(after), linesRemoved: lineCount(before), text: undefined };
  let linesAdded = 0;
  let linesRemoved = 0;
  for (const { added, removed, count } of changes) {
    if (added) linesAdded += count;
    if (removed) linesRemoved += count;
  }
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDITS,
  });
  return { linesAdded, linesRemoved, text: patch };
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}
