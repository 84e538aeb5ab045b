import type { agent } from '@tandem/proto';
import type { Offers, ToolChoice } from '../../tools/registry.ts';
import { isReadOnlyMode, modeOf } from '../context/mode.ts';
import { requestContext } from '../context/request-context.ts';
import { requestedModel } from '../context/requested-model.ts';
import { isReadOnlySubagent } from '../context/subagent.ts';
import type { TurnState } from '../state.ts';

/** Names of models that were trained to change files by patches. */
const PATCHES = /(^|[^a-z0-9])(gpt-?[5-9]|gpt-4\.1|codex|o[34])([^a-z0-9]|$)/i;

/** The provider of tools that the program brings which drives the client: no server with resources. */
const CUSTOM_TOOLS = 'custom-user-tools';

/** What decides which tools the turn has. */
export function toolChoice(state: TurnState): ToolChoice {
  const { allowedTools: allowed, excludedTools: excluded } = state.facts.info;
  const context = requestContext(state);
  const mcpTools = unique([...(state.request?.run.mcpTools?.mcpTools ?? []), ...(context?.tools ?? [])]);
  return {
    mcpTools,
    allowed,
    excluded,
    readOnly: isReadOnlyMode(modeOf(state)) || isReadOnlySubagent(state),
    offers: offersOf(state, context, mcpTools),
  };
}

function offersOf(
  state: TurnState,
  context: agent.RequestContext | undefined,
  mcpTools: readonly agent.McpToolDefinition[],
): Offers {
  const run = state.request?.run;
  const isSubagent = Boolean(run?.subagentTypeName);
  const { webFetch, webSearch } = state.serverTools;
  const models = [...(run?.selectedSubagentModels ?? []), ...(run?.selectedSubagentModelDetails ?? [])];
  return {
    patches: PATCHES.test(requestedModel(state)),
    user: !isSubagent,
    // Clients that don't say have it.
    lints: context?.readLintsEnabled !== false,
    mcpResources:
      mcpTools.some(({ providerIdentifier }) => providerIdentifier !== CUSTOM_TOOLS) ||
      (context?.mcpInstructions.length ?? 0) > 0,
    webFetch: webFetch && context?.webFetchEnabled !== false,
    webSearch: webSearch && context?.webSearchEnabled !== false,
    task: isSubagent
      ? undefined
      : {
          subagents: context?.customSubagents ?? [],
          models: [...new Set(models.map(({ modelId }) => modelId))].filter(Boolean),
        },
  };
}

/** Clients name custom tools twice: in the request and in its context. */
function unique(definitions: readonly agent.McpToolDefinition[]): agent.McpToolDefinition[] {
  const byName = new Map<string, agent.McpToolDefinition>();
  for (const definition of definitions) {
    const key = JSON.stringify([definition.providerIdentifier, definition.toolName, definition.name]);
    if (!byName.has(key)) byName.set(key, definition);
  }
  return [...byName.values()];
}
