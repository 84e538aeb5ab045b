import type { agent } from '@tandem/proto';
import type { ToolDefinition } from '../../model/port.ts';
import type { Offers, ToolChoice } from '../../tools/offers.ts';
import { offeredTools, toolWarnings } from '../../tools/registry.ts';
import type { Tool } from '../../tools/tool.ts';
import {
  isReadOnlyMode,
  isReadOnlySubagent,
  modeOf,
  requestContext,
  requestedModel,
} from '../context/index.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';

/** Tools are built once a turn: what they are made of does not change. */
interface Built extends Pick<TurnState, 'context' | 'restore'> {
  readonly mode: agent.AgentMode;
  readonly tools: ReadonlyMap<string, Tool>;
}

const built = new WeakMap<NonNullable<TurnState['request']>, Built>();

/** The turn's tools by name. They stay the same for the whole turn, unless its mode is switched. */
export function turnTools(state: TurnState): ReadonlyMap<string, Tool> {
  const { request } = state;
  if (!request) return new Map();
  const known = built.get(request);
  const mode = modeOf(state);
  const same = known?.context === state.context && known.restore === state.restore && known.mode === mode;
  if (known && same) return known.tools;
  const tools = offeredTools(toolChoice(state));
  built.set(request, { context: state.context, restore: state.restore, mode, tools });
  return tools;
}

export function toolDefinitions(state: TurnState): ToolDefinition[] {
  return [...turnTools(state).values()].map(({ definition }) => definition);
}

/** Tells the user which of his tools the turn has to go without. The model is not told. */
export function showToolWarnings(step: Step): void {
  const warnings = toolWarnings(toolChoice(step.state));
  if (warnings.length === 0) return;
  const text = `${warnings.join('\n')}\n\n`;
  step.update({ case: 'textDelta', value: { text, isServerNotice: true } });
}

/** Names of models that were trained to change files by patches. */
const PATCHES = /(^|[^a-z0-9])(gpt-?[5-9]|gpt-4\.1|codex|o[34])([^a-z0-9]|$)/i;

/** The provider of tools that the program brings which drives the client: no server with resources. */
const CUSTOM_TOOLS = 'custom-user-tools';

/** What decides which tools the turn has. */
function toolChoice(state: TurnState): ToolChoice {
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
