import { agent } from '@tandem/proto';
import { subagentKind } from '../../prompt/subagent-prompts.ts';
import type { TurnState } from '../state.ts';
import { requestContext } from './request-context.ts';

/** The definition of a subagent that the user has made, as the context tells it. */
function customSubagent(
  context: agent.RequestContext | undefined,
  type: string | undefined,
): agent.CustomSubagent | undefined {
  return type ? context?.customSubagents.find(({ name }) => name === type) : undefined;
}

/** Whether the turn is a subagent's that may change nothing. */
export function isReadOnlySubagent(state: TurnState): boolean {
  const type = state.request?.run.subagentTypeName;
  if (!type) return false;
  const custom = customSubagent(requestContext(state), type);
  if (custom) return custom.permissionMode === agent.CustomSubagentPermissionMode.READONLY;
  return subagentKind(type).readOnly;
}

/** Which model a subagent of a type gets; undefined when the user has switched the type off. */
export type SubagentModel = {
  readonly modelId: string;
  readonly parameters: Readonly<Record<string, string>>;
};

/**
 * The model that a subagent runs with: the user's choice for its type, else that of its definition, else its parent's.
 * @param wanted what the parent's model asked for; only what the user offers for subagents counts
 */
export function subagentModel(
  state: TurnState,
  type: string,
  wanted: string | undefined,
): SubagentModel | undefined {
  const run = state.request?.run;
  const override = run?.subagentModelOverrides.find(({ subagentType }) => subagentType === type)?.selection;
  if (override?.case === 'disabled' && override.value) return undefined;
  if (override?.case === 'model') return modelOf(override.value);
  const parent = run?.requestedModel ? modelOf(run.requestedModel) : named(run?.modelDetails?.modelId ?? '');
  if (override?.case === 'inherit' && override.value) return parent;
  const offered = run?.selectedSubagentModels.find(({ modelId }) => modelId === wanted);
  if (offered) return modelOf(offered);
  if (run?.selectedSubagentModelDetails.some(({ modelId }) => modelId === wanted)) return named(wanted ?? '');
  const custom = customSubagent(requestContext(state), type);
  const own = custom && !custom.forceDefaultModel && !INHERIT.has(custom.model) ? custom.model : undefined;
  return own ? named(own) : parent;
}

/** What definitions write for "as its parent". */
const INHERIT: ReadonlySet<string> = new Set(['', 'inherit', 'default', 'auto']);

function modelOf({ modelId, parameters }: agent.RequestedModel): SubagentModel {
  return { modelId, parameters: Object.fromEntries(parameters.map(({ id, value }) => [id, value])) };
}

function named(modelId: string): SubagentModel {
  return { modelId, parameters: {} };
}

/** The model that the client asked for; nested runs name it in their model details. Empty when it named none. */
export function requestedModel({ request }: TurnState): string {
  return request?.run.requestedModel?.modelId || request?.run.modelDetails?.modelId || '';
}

/** Parameters that the client chose for the model. */
export function modelParameters({ request }: TurnState): Record<string, string> {
  const parameters = request?.run.requestedModel?.parameters ?? [];
  return Object.fromEntries(parameters.map(({ id, value }) => [id, value]));
}
