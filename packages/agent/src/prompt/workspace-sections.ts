import type { agent } from '@tandem/proto';

/** Most lines of a folder tree that a model is shown. */
const TREE_LINES = 200;
/** Most characters of one file that comes with the context. */
const FILE_CHARS = 20_000;

/** Folder trees, as far as the client has read them. */
export function projectLayouts(roots: readonly agent.LsDirectoryTreeNode[]): string {
  const lines: string[] = [];
  for (const root of roots) addTree(root, 0, lines);
  const cut = lines.length > TREE_LINES;
  return [...lines.slice(0, TREE_LINES), ...(cut ? [`[${lines.length - TREE_LINES} more lines]`] : [])].join(
    '\n',
  );
}

/** Files whose contents came with the context, by path. */
export function files(contents: Readonly<Record<string, string>>): string {
  return Object.entries(contents)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, content]) => {
      const cut = content.length > FILE_CHARS ? `\n[${content.length - FILE_CHARS} more characters]` : '';
      return `${path}:\n${content.slice(0, FILE_CHARS)}${cut}`;
    })
    .join('\n\n');
}

/** Notes that agents left, and what the client takes the user to be after. */
export function notes(context: agent.RequestContext): string {
  return titled([
    ['Notes of this conversation', context.conversationNotesListing],
    ['Notes that are shared', context.sharedNotesListing],
    ["The user's intent", context.userIntentSummary],
  ]);
}

/** What the user has changed in files by himself. */
export function userChanges(changes: readonly agent.PrecomputedHumanChange[]): string {
  return changes
    .map(({ path, renderedDiffs, isNewFile, isDeletedFile }) => {
      const what = isDeletedFile ? 'deleted' : isNewFile ? 'created' : 'changed';
      const hunks = renderedDiffs.map(({ startLineNumber, removedLines, addedLines }) =>
        [
          `@@ line ${startLineNumber}`,
          ...removedLines.map((line) => `-${line}`),
          ...addedLines.map((line) => `+${line}`),
        ].join('\n'),
      );
      return [`${path} (${what})`, ...hunks].join('\n');
    })
    .join('\n\n');
}

/** Clients that only have the feature on or off say so in the place of the text. */
const NO_TEXT = new Set(['enabled', 'disabled', 'true', 'false']);

/** What commits and pull requests are to end with. */
export function attribution(context: agent.RequestContext): string {
  const { commitAttributionMessage: commit, prAttributionMessage: pullRequest } = context;
  return titled([
    ['End commit messages with', textOf(commit)],
    ['End descriptions of pull requests with', textOf(pullRequest)],
  ]);
}

function textOf(message: string | undefined): string | undefined {
  return NO_TEXT.has(message?.trim().toLowerCase() ?? '') ? undefined : message;
}

function titled(entries: readonly (readonly [string, string | undefined])[]): string {
  return entries
    .filter(([, text]) => text?.trim())
    .map(([title, text]) => `${title}:\n${text?.trim()}`)
    .join('\n\n');
}

function addTree(node: agent.LsDirectoryTreeNode, depth: number, lines: string[]): void {
  // Past the limit lines are only counted, and a tree that deep is no project's.
  if (depth > 64) return;
  const indent = '  '.repeat(depth);
  const name = depth === 0 ? node.absPath : (node.absPath.split(/[/\\]/).filter(Boolean).at(-1) ?? '');
  lines.push(`${indent}${name}/${node.childrenWereProcessed ? '' : ` (${node.numFiles} files)`}`);
  for (const child of node.childrenDirs) addTree(child, depth + 1, lines);
  for (const { name: file } of node.childrenFiles) lines.push(`${indent}  ${file}`);
}
