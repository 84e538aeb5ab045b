import { applyPatchTool } from './apply-patch.ts';
import { askQuestionTool } from './ask-question.ts';
import { awaitCommandTool } from './await-command.ts';
import { awaitTaskTool } from './await-task.ts';
import { createPlanTool } from './create-plan.ts';
import { currentTimeTool } from './current-time.ts';
import { deleteTool } from './delete.ts';
import { editTool } from './edit.ts';
import { fetchTool } from './fetch.ts';
import { type ForeignTools, foreignTools } from './foreign-tools.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { lsTool } from './ls.ts';
import { listMcpResourcesTool, readMcpResourceTool } from './mcp-resources.ts';
import type { ToolChoice } from './offers.ts';
import { readTool } from './read.ts';
import { readLintsTool } from './read-lints.ts';
import { shellTool } from './shell.ts';
import { switchModeTool } from './switch-mode.ts';
import { turnTaskTool } from './task.ts';
import { todoTool } from './todo.ts';
import type { Tool, ToolKind } from './tool.ts';
import { webFetchTool } from './web-fetch.ts';
import { webSearchTool } from './web-search.ts';
import { writeTool } from './write.ts';
import { writeShellTool } from './write-shell.ts';

/** The server's own tools, some made for the turn. The order is part of what providers cache: new ones go last. */
const OWN_TOOLS: readonly (Tool | ((choice: ToolChoice) => Tool | undefined))[] = [
  readTool,
  writeTool,
  applyPatchTool,
  editTool,
  deleteTool,
  lsTool,
  globTool,
  grepTool,
  shellTool,
  todoTool,
  writeShellTool,
  awaitCommandTool,
  fetchTool,
  readLintsTool,
  askQuestionTool,
  createPlanTool,
  switchModeTool,
  turnTaskTool,
  awaitTaskTool,
  webFetchTool,
  webSearchTool,
  listMcpResourcesTool,
  readMcpResourceTool,
  currentTimeTool,
];

/** Tools that a model calls again while it has to wait. */
export const WAITING_TOOLS: ReadonlySet<string> = new Set(
  [awaitCommandTool, awaitTaskTool].map(({ definition }) => definition.name),
);

/** The tools that a turn offers to its model, by name. */
export function offeredTools(choice: ToolChoice): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  const own = ownTools(choice);
  for (const tool of [...own, ...foreign(choice).tools]) {
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

function ownTools(choice: ToolChoice): Tool[] {
  const tools = OWN_TOOLS.map((tool) => (typeof tool === 'function' ? tool(choice) : tool));
  return tools.filter((tool) => tool !== undefined).filter((tool) => tool.offered?.(choice.offers) ?? true);
}

function foreign(choice: ToolChoice): ForeignTools {
  return foreignTools(
    choice.mcpTools,
    ownTools(choice).map(({ definition }) => definition.name),
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
