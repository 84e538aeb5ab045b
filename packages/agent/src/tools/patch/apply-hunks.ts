import type { Hunk, HunkLine } from './parse-patch.ts';

/** How closely lines have to agree: exactly, but for spaces at their ends, but for spaces around them. */
const LEVELS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

/**
 * Changes a text by hunks, each looked for behind the one before. Lines that stay are left as they are in the text, even where
 * the hunk has other spaces; so are the line ends.
 * @returns what could not be found
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): { text: string } | { fault: string } {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.split(/\r?\n/);
  const endsWithLineEnd = lines.at(-1) === '';
  if (endsWithLineEnd) lines.pop();
  const result: string[] = [];
  let done = 0;
  for (const hunk of hunks) {
    const place = findPlace(lines, hunk, done);
    if (typeof place === 'string') return { fault: place };
    result.push(...lines.slice(done, place));
    done = place;
    for (const { kind, text: line } of hunk.lines) {
      if (kind === 'add') {
        result.push(line);
        continue;
      }
      if (kind === 'keep') result.push(lines[done] ?? line);
      done += 1;
    }
  }
  result.push(...lines.slice(done));
  const end = result.length > 0 && (endsWithLineEnd || text === '') ? lineEnd : '';
  return { text: result.join(lineEnd) + end };
}

function findPlace(lines: readonly string[], hunk: Hunk, from: number): number | string {
  let start = from;
  for (const anchor of hunk.anchors) {
    const found = findLines(lines, [anchor], start, false);
    if (found === undefined) return `there is no line ${JSON.stringify(anchor)} from line ${start + 1} on.`;
    start = found + 1;
  }
  const before = oldLines(hunk.lines);
  if (before.length === 0) return hunk.anchors.length > 0 && !hunk.atEnd ? start : lines.length;
  const found = findLines(lines, before, start, hunk.atEnd);
  // The line that an anchor names is often repeated as the first line.
  const again =
    found ?? (hunk.anchors.length > 0 ? findLines(lines, before, start - 1, hunk.atEnd) : undefined);
  if (again !== undefined && again >= from) return again;
  return `these lines are not there from line ${start + 1} on:\n${before.slice(0, 10).join('\n')}`;
}

function findLines(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  atEnd: boolean,
): number | undefined {
  const last = lines.length - wanted.length;
  for (const level of LEVELS) {
    const matches = (index: number) =>
      wanted.every((line, offset) => level(lines[index + offset] ?? '') === level(line));
    if (atEnd && last >= from && matches(last)) return last;
    for (let index = from; index <= last; index++) if (matches(index)) return index;
  }
  return undefined;
}

function oldLines(lines: readonly HunkLine[]): string[] {
  return lines.filter(({ kind }) => kind !== 'add').map(({ text }) => text);
}
