import type { agent } from '@tandem/proto';
import { z } from 'zod';
import { cutEnd } from './cut-text.ts';
import { exec, LOOK, NOT_UNDERSTOOD, notAllowed } from './steps.ts';
import { type CallContext, defineTool, errorText, text } from './tool.ts';

const schema = z.strictObject({
  path: z.string().min(1).describe('The folder: absolute, or relative to the workspace folder.'),
  ignore: z.array(z.string()).optional().describe('Glob patterns of what to leave out.'),
});
type Args = z.infer<typeof schema>;

export const lsTool = defineTool({
  name: 'list_folder',
  kind: 'lsToolCall',
  access: 'read',
  description: 'Lists what a folder holds, with its subfolders.',
  schema,
  shownArgs,
  shownFailure: (error, { path }) => ({ result: { case: 'error', value: { path, error } } }),
  *run(args, context) {
    const result = yield* exec('lsArgs', shownArgs(args, context), LOOK);
    return { result: { result }, output: output(args, result) };
  },
});

function output({ path }: Args, result: agent.LsResult['result']) {
  switch (result.case) {
    case 'success':
      return text(cutEnd(listing(result.value.directoryTreeRoot) || `${path} is empty.`));
    case 'timeout': {
      const part = listing(result.value.directoryTreeRoot);
      return text(cutEnd(`Listing took too long; this is a part:\n${part}`));
    }
    case 'rejected':
      return errorText(notAllowed(result.value.reason));
    case 'error':
      return errorText(`${path} could not be listed: ${result.value.error}`);
    default:
      return errorText(NOT_UNDERSTOOD);
  }
}

/** Folders end with a slash, and hold what is indented below them. */
function listing(root: agent.LsDirectoryTreeNode | undefined): string {
  const lines: string[] = [];
  const walk = (node: agent.LsDirectoryTreeNode, indent: string) => {
    for (const folder of node.childrenDirs) {
      const more = folder.childrenWereProcessed
        ? ''
        : ` (not listed${folder.numFiles ? `: ${folder.numFiles} files` : ''})`;
      lines.push(`${indent}${baseName(folder.absPath)}/${more}`);
      walk(folder, `${indent}  `);
    }
    for (const { name } of node.childrenFiles) lines.push(indent + name);
  };
  if (root) {
    lines.push(`${root.absPath}/`);
    walk(root, '  ');
  }
  return lines.join('\n');
}

function baseName(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
}

function shownArgs({ path, ignore = [] }: Args, { callId }: CallContext) {
  return { path, ignore, toolCallId: callId };
}
