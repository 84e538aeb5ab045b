import type { Position } from '@tandem/actor-core';
import type { agent } from '@tandem/proto';
import { clientHas } from '../delivery.ts';
import { restored } from '../restore/index.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import type { Verdict } from '../verdict.ts';

const CONTEXT_TIMER = { type: 'request_context' } as const;

/** Asks the client for its request context, unless the request brought it. */
export function proceedContext(step: Step): Verdict {
  const { context } = step.state;
  if (context.status === 'known') {
    step.stopTimer(CONTEXT_TIMER);
    return undefined;
  }
  if (context.status === 'asked') {
    step.startTimer(CONTEXT_TIMER, step.config.limits.contextMs);
    return undefined;
  }
  askContext(step);
  return 'advance';
}

export function askContext(step: Step): void {
  const message = { case: 'requestContextArgs', value: {} } as const;
  step.frame({ case: 'execServerMessage', value: { id: step.state.nextExec, message } });
}

/** The client took too long: the turn goes on without its context. */
export function decideContextTimeout(step: Step): Verdict {
  if (step.state.context.status === 'asked') step.record({ case: 'contextMissing', value: {} });
  return 'advance';
}

/** The client was asked. */
export function evolveContextAsked(
  state: TurnState,
  { id, message }: agent.ExecServerMessage,
  at: Position,
): TurnState {
  return message.case === 'requestContextArgs'
    ? { ...state, context: { status: 'asked', exec: id, at } }
    : state;
}

/** The client answered; an answer of another kind means that there is no context. */
export function evolveContextResult(state: TurnState, { id, message }: agent.ExecClientMessage): TurnState {
  const result = message.case === 'requestContextResult' ? message.value.result : undefined;
  return answerContext(state, id, result?.case === 'success' ? result.value.requestContext : undefined);
}

/** A throw or a close without an answer means that there is no context. */
export function evolveContextClosed(
  state: TurnState,
  { message }: agent.ExecClientControlMessage,
): TurnState {
  if (message.case !== 'throw' && message.case !== 'streamClose') return state;
  return answerContext(state, message.value.id, undefined);
}

function answerContext(state: TurnState, exec: number, value: agent.RequestContext | undefined): TurnState {
  const { context } = state;
  if (context.status !== 'asked' || context.exec !== exec) return state;
  return clientHas({ ...state, context: { status: 'known', value } }, context.at);
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
