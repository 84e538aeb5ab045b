import type { MessageInitShape } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { exec, LOOK, NOT_UNDERSTOOD, type Steps } from './steps.ts';

/** Has the client search files; gives what was found, or why nothing could be. */
export function* searchFiles(
  args: MessageInitShape<typeof agent.GrepArgsSchema>,
): Steps<agent.GrepSuccess | string> {
  const found = yield* exec('grepArgs', args, LOOK);
  if (found.case === 'success') return found.value;
  return found.case === 'error' ? found.value.error : NOT_UNDERSTOOD;
}

export interface Workspace {
  /** The folder that relative paths start from. */
  readonly root: string;
  readonly result: agent.GrepUnionResult['result'];
}

export function workspaces({ workspaceResults }: agent.GrepSuccess): Workspace[] {
  return Object.entries(workspaceResults).map(([root, { result }]) => ({ root, result }));
}

/** Clients name files as they found them, often with a leading "./". */
export function tidyPath(file: string): string {
  return file.replace(/^\.[/\\]/, '');
}
