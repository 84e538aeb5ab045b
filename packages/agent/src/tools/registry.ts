import type { agent } from '@tandem/proto';
import { applyPatchTool } from './apply-patch.ts';
import { askQuestionTool } from './ask-question.ts';
import { awaitCommandTool } from './await-command.ts';
import { awaitTaskTool } from './await-task.ts';
import { createPlanTool } from './create-plan.ts';
import { deleteTool } from './delete.ts';
import { editTool } from './edit.ts';
import { fetchTool } from './fetch.ts';
import { type ForeignTools, foreignTools } from './foreign-tools.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { lsTool } from './ls.ts';
import { listMcpResourcesTool, readMcpResourceTool } from './mcp-resources.ts';
import { readTool } from './read.ts';
import { readLintsTool } from './read-lints.ts';
import { shellTool } from './shell.ts';
import { switchModeTool } from './switch-mode.ts';
import { type TaskChoices, taskTool } from './task.ts';
import { todoTool } from './todo.ts';
import type { Tool, ToolKind } from './tool.ts';
import { webFetchTool } from './web-fetch.ts';
import { webSearchTool } from './web-search.ts';
import { writeTool } from './write.ts';
import { writeShellTool } from './write-shell.ts';

/** What a turn's client, user, model and server allow beside the tools that every turn has. */
export interface Offers {
  /** The model was trained to change files by patches. */
  readonly patches: boolean;
  /** There is a user who can be asked. */
  readonly user: boolean;
  readonly lints: boolean;
  readonly mcpResources: boolean;
  readonly webFetch: boolean;
  readonly webSearch: boolean;
  /** Undefined: no subagents, as in a run that is one. */
  readonly task: Pick<TaskChoices, 'subagents' | 'models'> | undefined;
}

/** What decides which tools a turn has. */
export interface ToolChoice {
  readonly mcpTools: readonly agent.McpToolDefinition[];
  /** Lists of kinds, as the client's headers have them; undefined: no such header. */
  readonly allowed: string | undefined;
  readonly excluded: string | undefined;
  readonly readOnly: boolean;
  readonly offers: Offers;
}

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

/** The order is part of what providers cache: new ones go last. */
function ownTools({ readOnly, offers }: ToolChoice): Tool[] {
  const { patches, user, lints, mcpResources, webFetch, webSearch, task } = offers;
  return [
    readTool,
    writeTool,
    patches ? applyPatchTool : editTool,
    deleteTool,
    lsTool,
    globTool,
    grepTool,
    shellTool,
    todoTool,
    writeShellTool,
    awaitCommandTool,
    fetchTool,
    ...(lints ? [readLintsTool] : []),
    ...(user ? [askQuestionTool, createPlanTool, switchModeTool] : []),
    ...(task ? [taskTool({ ...task, readOnly }), awaitTaskTool] : []),
    ...(webFetch ? [webFetchTool] : []),
    ...(webSearch ? [webSearchTool] : []),
    ...(mcpResources ? [listMcpResourcesTool, readMcpResourceTool] : []),
  ];
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
