import type { agent } from '@tandem/proto';
import { mcpTool } from './mcp.ts';
import { toolSchema } from './schema/tool-schema.ts';
import type { Tool } from './tool.ts';

export interface ForeignTools {
  readonly tools: Tool[];
  /** What can't be offered, each a sentence for the user. */
  readonly warnings: string[];
}

const MAX_NAME = 64;

/**
 * The tools of a user's MCP servers and of the program that drives the client, each under a name of its own.
 * @param taken names that are not to be had
 */
export function foreignTools(
  definitions: readonly agent.McpToolDefinition[],
  taken: Iterable<string>,
): ForeignTools {
  const names = new Set(taken);
  const tools: Tool[] = [];
  const warnings: string[] = [];
  for (const definition of definitions) {
    const schema = toolSchema(definition);
    if (typeof schema === 'string') {
      const { providerIdentifier: server } = definition;
      const from = server ? ` of ${server}` : '';
      warnings.push(`The tool ${definition.toolName || definition.name}${from} can't be used: ${schema}.`);
      continue;
    }
    const name = freeName(definition, names);
    names.add(name);
    tools.push(mcpTool(name, definition, schema));
  }
  return { tools, warnings };
}

/** Providers take letters, digits, "_" and "-", up to 64 of them. */
function freeName(
  { name, providerIdentifier, toolName }: agent.McpToolDefinition,
  taken: ReadonlySet<string>,
): string {
  const full = `${providerIdentifier}-${toolName}`;
  for (const wanted of [name || full, full]) {
    const safe = plain(wanted).slice(0, MAX_NAME);
    if (!taken.has(safe)) return safe;
  }
  for (let count = 2; ; count++) {
    const end = `_${count}`;
    const safe = plain(full).slice(0, MAX_NAME - end.length) + end;
    if (!taken.has(safe)) return safe;
  }
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_') || '_';
}
