import type { agent } from '@tandem/proto';
import { awaitCommandTool } from './await-command.ts';
import { deleteTool } from './delete.ts';
import { editTool } from './edit.ts';
import { type ForeignTools, foreignTools } from './foreign-tools.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { lsTool } from './ls.ts';
import { readTool } from './read.ts';
import { shellTool } from './shell.ts';
import { todoTool } from './todo.ts';
import type { Tool, ToolKind } from './tool.ts';
import { writeTool } from './write.ts';
import { writeShellTool } from './write-shell.ts';

/** The tools of every conversation. Their order is part of what providers cache: new ones go last. */
const BUILT_IN: readonly Tool[] = [
  readTool,
  writeTool,
  editTool,
  deleteTool,
  lsTool,
  globTool,
  grepTool,
  shellTool,
  todoTool,
  writeShellTool,
  awaitCommandTool,
];

/** What decides which tools a turn has. */
export interface ToolChoice {
  readonly mcpTools: readonly agent.McpToolDefinition[];
  /** Lists of kinds, as the client's headers have them; undefined: no such header. */
  readonly allowed: string | undefined;
  readonly excluded: string | undefined;
  readonly readOnly: boolean;
}

/** The tools that a turn offers to its model, by name. */
export function offeredTools(choice: ToolChoice): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const tool of [...BUILT_IN, ...foreign(choice).tools]) {
    if (isWanted(tool.kind, choice) && !(choice.readOnly && tool.access === 'write')) {
      tools.set(tool.definition.name, tool);
    }
  }
  return tools;
}

/** What can't be offered though it was meant to be: each a sentence for the user. */
export function toolWarnings(choice: ToolChoice): string[] {
  // Nobody misses what was not to be offered.
  return !choice.readOnly && isWanted('mcpToolCall', choice) ? foreign(choice).warnings : [];
}

function foreign({ mcpTools }: ToolChoice): ForeignTools {
  return foreignTools(
    mcpTools,
    BUILT_IN.map(({ definition }) => definition.name),
  );
}

function isWanted(kind: ToolKind, { allowed, excluded }: ToolChoice): boolean {
  return (allowed === undefined || kinds(allowed).has(kind)) && !kinds(excluded ?? '').has(kind);
}

/** Headers name kinds as the wire does: read_tool_call is readToolCall here. */
function kinds(list: string): ReadonlySet<ToolKind> {
  const names = list
    .split(',')
    .map((name) => name.trim().replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()));
  return new Set(names.filter(Boolean) as ToolKind[]);
}
