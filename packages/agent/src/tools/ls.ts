import type { agent } from '@tandem/proto';
import { z } from 'zod';
import { cutEnd } from './cut-text.ts';
import { defineTool, errorText, QUICK, text } from './tool.ts';

const schema = z.strictObject({
  path: z.string().min(1).describe('The folder: absolute, or relative to the workspace folder.'),
  ignore: z.array(z.string()).optional().describe('Glob patterns of what to leave out.'),
});
type Args = z.infer<typeof schema>;

export const lsTool = defineTool<Args>({
  name: 'list_folder',
  kind: 'lsToolCall',
  access: 'read',
  description: 'Lists what a folder holds, with its subfolders.',
  schema,
  show: (args, { callId }) => ({ case: 'lsToolCall', value: { args: wireArgs(args, callId) } }),
  refuse: (args, error, { callId }) => ({
    case: 'lsToolCall',
    value: {
      args: wireArgs(args, callId),
      result: { result: { case: 'error', value: { path: args.path, error } } },
    },
  }),
  next(args, [answer], { callId }) {
    const wire = wireArgs(args, callId);
    if (!answer) {
      const exec = { case: 'lsArgs', value: wire } as const;
      return { ask: { type: 'exec', exec, deadline: QUICK, repeatable: true } };
    }
    const message = answer.type === 'exec' ? answer.message : undefined;
    const result: agent.LsResult['result'] =
      message?.case === 'lsResult' ? message.value.result : { case: undefined };
    const shown = { case: 'lsToolCall', value: { args: wire, result: { result } } } as const;
    return { done: { shown, output: output(args, result) } };
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
      return errorText(`The user did not allow it. ${result.value.reason}`.trim());
    case 'error':
      return errorText(`${path} could not be listed: ${result.value.error}`);
    default:
      return errorText('The client gave an answer that is not understood.');
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

function wireArgs({ path, ignore }: Args, toolCallId: string) {
  return { path, ignore: ignore ?? [], toolCallId };
}
