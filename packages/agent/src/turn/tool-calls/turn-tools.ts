import type { agent } from '@tandem/proto';
import type { ToolDefinition } from '../../model/port.ts';
import { offeredTools } from '../../tools/registry.ts';
import type { Tool } from '../../tools/tool.ts';
import { modeOf } from '../context/mode.ts';
import type { OpenedRequest, TurnState } from '../state.ts';
import { toolChoice } from './tool-choice.ts';

/** Tools are built once a turn: what they are made of does not change. */
interface Built extends Pick<TurnState, 'context' | 'restore'> {
  readonly mode: agent.AgentMode;
  readonly tools: ReadonlyMap<string, Tool>;
}

const built = new WeakMap<OpenedRequest, Built>();

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
