import type { agent, tandem } from '@tandem/proto';
import type { ProviderOptions } from '../../model/message.ts';
import type { Usage } from '../../model/port.ts';
import type { TurnState } from '../state.ts';
import type { ModelAnswer, ModelCallState, Segment } from './state.ts';

/** How a model call ends whose process was lost; not the model's fault, so it counts against no bound. */
export const TAKEN_OVER = 'taken_over';

export function evolveCallStarted(state: TurnState, { call }: tandem.ModelCallStarted): TurnState {
  return {
    ...state,
    modelCalls: call,
    model: { call, closed: [], open: undefined, partials: [], calls: [] },
  };
}

/** A delta either extends the open segment or, being of the other type, begins a new one. */
export function evolveShown(
  state: TurnState,
  type: Segment['type'],
  text: string,
  startedAt: number,
): TurnState {
  const { model } = state;
  if (!model) return state;
  if (model.open?.type === type) {
    return { ...state, model: { ...model, open: { ...model.open, text: model.open.text + text } } };
  }
  const open: Segment = { type, text, startedAt, durationMs: undefined, providerOptions: undefined };
  return {
    ...state,
    model: { ...model, closed: model.open ? [...model.closed, model.open] : model.closed, open },
  };
}

export function evolveThinkingCompleted(
  state: TurnState,
  { thinkingDurationMs: durationMs }: agent.ThinkingCompletedUpdate,
): TurnState {
  const { model } = state;
  if (model?.open?.type !== 'reasoning') return state;
  return {
    ...state,
    model: { ...model, closed: [...model.closed, { ...model.open, durationMs }], open: undefined },
  };
}

/** Belongs to the reasoning that was told to be complete last. */
export function evolveReasoningEnded(
  state: TurnState,
  { providerOptionsJson }: tandem.ReasoningEnded,
): TurnState {
  const { model } = state;
  const index = model?.closed.findLastIndex(({ type }) => type === 'reasoning') ?? -1;
  const segment = model?.closed[index];
  if (!model || !segment) return state;
  const providerOptions = JSON.parse(providerOptionsJson) as ProviderOptions;
  return { ...state, model: { ...model, closed: model.closed.with(index, { ...segment, providerOptions }) } };
}

/** What was shown of the arguments of a tool call, while the model still wrote them. */
export function evolvePartialCall(
  state: TurnState,
  { callId, toolCall }: agent.PartialToolCallUpdate,
): TurnState {
  const kind = toolCall?.tool.case;
  if (!kind || state.model?.partials.some((partial) => partial.callId === callId)) return state;
  return changeAnswer(state, (answer) => ({ ...answer, partials: [...answer.partials, { callId, kind }] }));
}

export function evolveToolRequested(state: TurnState, requested: tandem.ToolRequested): TurnState {
  return changeAnswer(state, (answer) => ({ ...answer, calls: [...answer.calls, requested] }));
}

export function evolveCallEnded(state: TurnState, { finishReason, usage }: tandem.ModelCallEnded): TurnState {
  return {
    ...state,
    model: undefined,
    usage: usage ? addUsage(state.usage, usage) : state.usage,
    contextTokens: usage
      ? Number(usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens)
      : state.contextTokens,
    brokenAnswers: countBroken(state.brokenAnswers, finishReason),
  };
}

function countBroken(
  before: ModelCallState['brokenAnswers'],
  reason: string,
): ModelCallState['brokenAnswers'] {
  switch (reason) {
    case 'length':
      return { ...before, length: before.length + 1 };
    case 'interrupted':
    case 'error':
      return { ...before, interrupted: before.interrupted + 1 };
    case TAKEN_OVER:
      return before;
    default:
      return { interrupted: 0, length: 0 };
  }
}

function changeAnswer(state: TurnState, change: (answer: ModelAnswer) => ModelAnswer): TurnState {
  return state.model ? { ...state, model: change(state.model) } : state;
}

function addUsage(sum: Usage, usage: tandem.ModelUsage): Usage {
  return {
    inputTokens: sum.inputTokens + Number(usage.inputTokens),
    outputTokens: sum.outputTokens + Number(usage.outputTokens),
    cacheReadTokens: sum.cacheReadTokens + Number(usage.cacheReadTokens),
    cacheWriteTokens: sum.cacheWriteTokens + Number(usage.cacheWriteTokens),
    reasoningTokens: sum.reasoningTokens + Number(usage.reasoningTokens),
  };
}
