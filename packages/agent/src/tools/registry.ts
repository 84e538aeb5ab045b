import type { agent } from '@tandem/proto';
import { awaitCommandTool } from './await-command.ts';
import { deleteTool } from './delete.ts';
import { editTool } from './edit.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { lsTool } from './ls.ts';
import { mcpTool } from './mcp.ts';
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
export function offeredTools({
  mcpTools,
  allowed,
  excluded,
  readOnly,
}: ToolChoice): ReadonlyMap<string, Tool> {
  const only = allowed === undefined ? undefined : kinds(allowed);
  const without = kinds(excluded ?? '');
  const tools = new Map<string, Tool>();
  for (const tool of [...BUILT_IN, ...foreignTools(mcpTools)]) {
    const { name } = tool.definition;
    if (only && !only.has(tool.kind)) continue;
    if (without.has(tool.kind) || tools.has(name) || (readOnly && tool.access === 'write')) continue;
    tools.set(name, tool);
  }
  return tools;
}

function foreignTools(definitions: readonly agent.McpToolDefinition[]): Tool[] {
  const names = new Set(BUILT_IN.map(({ definition }) => definition.name));
  return definitions.flatMap((definition) => {
    const name = modelName(definition);
    if (names.has(name)) return [];
    names.add(name);
    return [mcpTool(name, definition)];
  });
}

/** Providers take letters, digits, "_" and "-", up to 64 of them. */
function modelName({ name, providerIdentifier, toolName }: agent.McpToolDefinition): string {
  const full = name || `${providerIdentifier}-${toolName}`;
  return full.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}

/** Headers name kinds as the wire does: read_tool_call is readToolCall here. */
function kinds(list: string): ReadonlySet<ToolKind> {
  const names = list
    .split(',')
    .map((name) => name.trim().replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()));
  return new Set(names.filter(Boolean) as ToolKind[]);
}
