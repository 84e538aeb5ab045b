import type { agent } from '@tandem/proto';
import { restored } from '../restore/state.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';

export const CONTEXT_TIMER = 'request_context';

/** Asks the client for its request context, unless the request brought it. */
export function proceedContext(step: Step): boolean {
  const { context } = step.state;
  if (context.status === 'known') {
    step.stopTimer(CONTEXT_TIMER);
    return false;
  }
  if (context.status === 'asked') {
    step.startTimer(CONTEXT_TIMER, step.config.limits.contextMs);
    return false;
  }
  askContext(step);
  return true;
}

export function askContext(step: Step): void {
  const message = { case: 'requestContextArgs', value: {} } as const;
  step.frame({ case: 'execServerMessage', value: { id: step.state.nextExec, message } });
}

/** The client took too long: the turn goes on without its context. */
export function decideContextTimeout(step: Step): void {
  if (step.state.context.status === 'asked') step.record({ case: 'contextMissing', value: {} });
}

/** The request context with the parts that came as blobs put in their places; undefined when the client told none. */
export function requestContext(state: TurnState): agent.RequestContext | undefined {
  const context = state.context.status === 'known' ? state.context.value : undefined;
  const parts = state.request?.action?.requestContextParts;
  if (!context || !parts) return context;
  const rules = restored(state.restore, 'rules', parts.rulesBlobId)?.part;
  const skills = restored(state.restore, 'skills', parts.skillsBlobId)?.part;
  const subagents = restored(state.restore, 'subagents', parts.subagentsBlobId)?.part;
  const mcps = restored(state.restore, 'mcps', parts.mcpsBlobId)?.part;
  return {
    ...context,
    ...(rules && { rules: rules.rules, nonFileRules: rules.nonFileRules, cloudRule: rules.cloudRule }),
    ...(skills && { agentSkills: skills.agentSkills, skillOptions: skills.skillOptions }),
    ...(subagents && { customSubagents: subagents.customSubagents }),
    ...(mcps && {
      tools: mcps.tools,
      mcpInstructions: mcps.mcpInstructions,
      mcpFileSystemOptions: mcps.mcpFileSystemOptions,
      mcpMetaToolOptions: mcps.mcpMetaToolOptions,
    }),
  };
}
