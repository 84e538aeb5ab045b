import type { agent } from '@tandem/proto';
import type { Answer } from './tool.ts';

/** What a search brought, or why it brought nothing. */
export function grepAnswer(answer: Answer): agent.GrepSuccess | string {
  const message = answer.type === 'exec' ? answer.message : undefined;
  const result = message?.case === 'grepResult' ? message.value.result : undefined;
  if (result?.case === 'success') return result.value;
  return result?.case === 'error' ? result.value.error : 'The client gave an answer that is not understood.';
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
