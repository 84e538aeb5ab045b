/** What a patch does to one file. */
export type FileOperation =
  | { readonly type: 'add'; readonly path: string; readonly content: string }
  | { readonly type: 'delete'; readonly path: string }
  | {
      readonly type: 'update';
      readonly path: string;
      readonly moveTo: string | undefined;
      readonly hunks: readonly Hunk[];
    };

/** A place in a file and what becomes of it. */
export interface Hunk {
  /** Lines to look for, one after another, before the place itself. */
  readonly anchors: readonly string[];
  readonly lines: readonly HunkLine[];
  /** Its place is the end of the file. */
  readonly atEnd: boolean;
}

export interface HunkLine {
  readonly kind: 'keep' | 'remove' | 'add';
  readonly text: string;
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const ADD = '*** Add File: ';
const DELETE = '*** Delete File: ';
const UPDATE = '*** Update File: ';
const MOVE = '*** Move to: ';
const END_OF_FILE = '*** End of File';
const KINDS = { ' ': 'keep', '-': 'remove', '+': 'add' } as const;

/**
 * Reads a patch:
 *
 *     patch  = "*** Begin Patch" file+ "*** End Patch"
 *     file   = "*** Add File: " path ("+" line)*
 *            | "*** Delete File: " path
 *            | "*** Update File: " path ["*** Move to: " path] hunk*
 *     hunk   = ("@@" [" " anchor])* (" " line | "-" line | "+" line)+ ["*** End of File"]
 *
 * @returns what is wrong with it, with the number of the line
 */
export function parsePatch(patch: string): readonly FileOperation[] | string {
  const reader = new Lines(patch);
  if (reader.take() !== BEGIN) return `The patch has to begin with "${BEGIN}".`;
  const operations: FileOperation[] = [];
  while (reader.peek() !== END) {
    const line = reader.take();
    if (line === undefined) return `The patch has to end with "${END}".`;
    const operation = parseFile(line, reader);
    if (typeof operation === 'string') return `Line ${reader.number}: ${operation}`;
    operations.push(operation);
  }
  return operations.length > 0 ? operations : 'The patch changes nothing.';
}

function parseFile(line: string, reader: Lines): FileOperation | string {
  const path = line.slice(line.indexOf(': ') + 2).trim();
  if (line.startsWith(ADD)) {
    const content: string[] = [];
    while (reader.peek()?.startsWith('+')) content.push(reader.take()?.slice(1) ?? '');
    return { type: 'add', path, content: content.map((text) => `${text}\n`).join('') };
  }
  if (line.startsWith(DELETE)) return { type: 'delete', path };
  if (!line.startsWith(UPDATE))
    return 'this begins no file. A file begins with "*** Add/Update/Delete File: ".';
  const moved = reader.peek()?.startsWith(MOVE) ? reader.take() : undefined;
  const hunks: Hunk[] = [];
  while (reader.isInFile()) {
    const hunk = parseHunk(reader);
    if (typeof hunk === 'string') return hunk;
    hunks.push(hunk);
  }
  if (hunks.length === 0 && !moved) return `nothing is said of how to change ${path}.`;
  return { type: 'update', path, moveTo: moved?.slice(MOVE.length).trim(), hunks };
}

function parseHunk(reader: Lines): Hunk | string {
  const anchors: string[] = [];
  while (reader.peek()?.startsWith('@@')) {
    const anchor = reader.take()?.slice(2).trim() ?? '';
    if (anchor) anchors.push(anchor);
  }
  const lines: HunkLine[] = [];
  while (reader.isInFile() && !reader.peek()?.startsWith('@@')) {
    const line = reader.take() ?? '';
    if (line === END_OF_FILE)
      return lines.length > 0 ? { anchors, lines, atEnd: true } : 'there is no change here.';
    // An empty line lost its leading space on its way here.
    const kind = line === '' ? 'keep' : KINDS[line.charAt(0) as keyof typeof KINDS];
    if (!kind) return 'a changed line begins with " ", "-" or "+".';
    lines.push({ kind, text: line.slice(1) });
  }
  return lines.length > 0 ? { anchors, lines, atEnd: false } : 'there is no change here.';
}

class Lines {
  readonly #lines: readonly string[];
  /** Of the line that was taken last, from 1. */
  number = 0;

  constructor(text: string) {
    const lines = text.trim().split(/\r?\n/);
    // Some models wrap a patch as if for a shell.
    const wrapped = /^(?:apply_patch\s+)?<<\s*['"]?(\w+)['"]?$/.exec(lines[0]?.trim() ?? '');
    this.#lines = wrapped && lines.at(-1)?.trim() === wrapped[1] ? lines.slice(1, -1) : lines;
  }

  peek(): string | undefined {
    return this.#lines[this.number];
  }

  take(): string | undefined {
    const line = this.peek();
    this.number += 1;
    return line;
  }

  /** Whether the next line still belongs to the file that is read. */
  isInFile(): boolean {
    const line = this.peek();
    if (line === undefined || line === END) return false;
    return ![ADD, DELETE, UPDATE].some((start) => line.startsWith(start));
  }
}
