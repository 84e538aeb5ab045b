import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { agent, type tandem } from '@tandem/proto';
import type {
  AssistantMessage,
  ProviderOptions,
  ReasoningPart,
  TextPart,
  ToolCallPart,
} from '../../model/message.ts';
import { encodeMessage } from '../../model/message-json.ts';
import type { Usage } from '../../model/port.ts';
import type { ShownTool } from '../../tools/tool.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { parseArguments } from '../tool-calls/index.ts';
import { appendMessage, appendStep, encodeTurn, endStep, writeTurn } from '../transcript/index.ts';
import type { Segment } from './state.ts';

/** How a model call ended. */
export interface CallEnd {
  readonly reason: string;
  readonly usage?: Usage;
  readonly deployment?: string;
  /** The answer is whole, so that its tool calls are to be run. */
  readonly runsTools?: boolean;
}

/**
 * Ends the model call: what clients were shown of it becomes part of the transcript and of the turn's structure.
 * @returns whether the model has something to continue
 */
export function commitAnswer(step: Step, end: CallEnd): boolean {
  endReasoning(step);
  const { model } = step.state;
  if (!model) return false;
  const segments = shownSegments(step.state);
  const calls = end.runsTools ? model.calls : [];
  if (!end.runsTools) closePartialCalls(step);
  const message = answerMessage(segments, calls.map(callPart));
  if (message) appendMessage(step, message);
  for (const segment of segments) appendStep(step, segmentStep(segment, step.now));
  if (segments.length > 0 || calls.length > 0) writeTurn(step);
  const { reason, usage, deployment = '' } = end;
  step.record({
    case: 'modelCallEnded',
    value: { call: model.call, finishReason: reason, usage: usage && usageRecord(usage), deployment },
  });
  return message !== undefined;
}

/** Aborts a model call that runs. */
export function abortModel(step: Step): void {
  const { model, process } = step.state;
  if (model && process.modelCall === model.call) step.effect({ type: 'abort_model', call: model.call });
}

/** Aborts a model call that runs, and keeps what it has shown. */
export function stopModel(step: Step, reason: string): void {
  if (!step.state.model) return;
  abortModel(step);
  commitAnswer(step, { reason });
  endStep(step);
}

/** Tells clients that a block of reasoning is complete, if one is open. */
export function endReasoning(step: Step): void {
  const open = step.state.model?.open;
  if (open?.type !== 'reasoning') return;
  const thinkingDurationMs = Math.min(Math.max(0, step.now - open.startedAt), 0x7fffffff);
  step.update({ case: 'thinkingCompleted', value: { thinkingDurationMs } });
}

/**
 * Writes what a running model call has shown so far, for a checkpoint only: a client that just lost its connection gets
 * one soon, so that little is repeated should the server lose the turn.
 */
export function writeDraft(step: Step): void {
  const { turn } = step.state;
  const segments = shownSegments(step.state);
  const message = answerMessage(segments, []);
  if (!turn || !message) return;
  const draftMessageBlobId = step.write(encodeMessage(message));
  const steps = segments.map((segment) => {
    const value = create(agent.ConversationStepSchema, { message: segmentStep(segment, step.now) });
    return step.write(toBinary(agent.ConversationStepSchema, value));
  });
  const blobId = step.write(encodeTurn(step.state, [...turn.steps, ...steps]));
  step.record({ case: 'turnWritten', value: { blobId, draftMessageBlobId } });
}

/** Arguments that clients saw coming belong to no call that is run. */
function closePartialCalls(step: Step): void {
  for (const { callId, kind } of step.state.model?.partials ?? []) {
    const tool = { case: kind, value: {} } as ShownTool;
    step.update({ case: 'toolCallCompleted', value: { callId, toolCall: { tool, toolCallId: callId } } });
  }
}

function shownSegments({ model }: TurnState): Segment[] {
  if (!model) return [];
  const segments = model.open ? [...model.closed, model.open] : model.closed;
  return segments.filter(({ text }) => text.trim() !== '');
}

/**
 * The answer as a message; undefined without text and calls, since reasoning alone is nothing that a model could continue. Of the
 * reasoning only such blocks count as are complete: providers refuse a cut one.
 */
function answerMessage(
  segments: readonly Segment[],
  calls: readonly ToolCallPart[],
): AssistantMessage | undefined {
  if (calls.length === 0 && !segments.some(({ type }) => type === 'text')) return undefined;
  const content: (TextPart | ReasoningPart | ToolCallPart)[] = [];
  for (const { type, text, durationMs, providerOptions } of segments) {
    if (type === 'text') content.push({ type, text });
    else if (durationMs !== undefined) {
      content.push(providerOptions ? { type, text, providerOptions } : { type, text });
    }
  }
  return { role: 'assistant', content: [...content, ...calls] };
}

function callPart({
  callId,
  name,
  arguments: input,
  providerOptionsJson,
}: tandem.ToolRequested): ToolCallPart {
  const part = {
    type: 'tool-call',
    toolCallId: callId,
    toolName: name,
    input: parseArguments(input),
  } as const;
  if (!providerOptionsJson) return part;
  return { ...part, providerOptions: JSON.parse(providerOptionsJson) as ProviderOptions };
}

function segmentStep(
  { type, text, startedAt, durationMs }: Segment,
  now: number,
): MessageInitShape<typeof agent.ConversationStepSchema>['message'] {
  const startedAtMs = BigInt(startedAt);
  const completedAtMs = BigInt(durationMs === undefined ? now : startedAt + durationMs);
  if (type === 'text') return { case: 'assistantMessage', value: { text, startedAtMs, completedAtMs } };
  const value = { text, durationMs: durationMs ?? now - startedAt, startedAtMs, completedAtMs };
  return { case: 'thinkingMessage', value };
}

function usageRecord(usage: Usage) {
  return {
    inputTokens: BigInt(usage.inputTokens),
    outputTokens: BigInt(usage.outputTokens),
    cacheReadTokens: BigInt(usage.cacheReadTokens),
    cacheWriteTokens: BigInt(usage.cacheWriteTokens),
    reasoningTokens: BigInt(usage.reasoningTokens),
  };
}
