import { create, toBinary } from '@bufbuild/protobuf';
import { agent, type tandem } from '@tandem/proto';
import type {
  AssistantMessage,
  ModelMessage,
  ReasoningPart,
  TextPart,
  ToolCallPart,
} from '../../model/message.ts';
import { encodeMessage } from '../../model/message-json.ts';
import type { ProviderOptions, Usage } from '../../model/port.ts';
import type { ShownTool } from '../../tools/tool.ts';
import type { Segment, TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { parseArguments } from '../tool-calls/arguments.ts';

/** How a model call ended. */
export interface CallEnd {
  readonly reason: string;
  readonly usage?: Usage;
  readonly deployment?: string;
  /** The answer is whole, so that its tool calls are to be run. */
  readonly runsTools?: boolean;
}

/** Adds a message to the transcript. */
export function appendMessage(step: Step, message: ModelMessage): void {
  const blobId = step.write(encodeMessage(message));
  step.record({ case: 'transcriptAppended', value: { blobId } });
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
  for (const segment of segments) {
    step.record({ case: 'stepAppended', value: { blobId: step.write(encodeSegment(segment, step.now)) } });
  }
  if (segments.length > 0 || calls.length > 0) writeTurn(step);
  const { reason, usage, deployment = '' } = end;
  step.record({
    case: 'modelCallEnded',
    value: { call: model.call, finishReason: reason, usage: usage && usageRecord(usage), deployment },
  });
  return message !== undefined;
}

/** Arguments that clients saw coming belong to no call that is run. */
function closePartialCalls(step: Step): void {
  for (const { callId, kind } of step.state.model?.partials ?? []) {
    const tool = { case: kind, value: {} } as ShownTool;
    step.update({ case: 'toolCallCompleted', value: { callId, toolCall: { tool, toolCallId: callId } } });
  }
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

export function startStep(step: Step): void {
  if (step.state.step.open) return;
  step.update({ case: 'stepStarted', value: { stepId: BigInt(step.state.step.count) } }, step.now);
}

export function endStep(step: Step): void {
  const { open, count, startedAt } = step.state.step;
  if (!open) return;
  const stepDurationMs = BigInt(Math.max(0, step.now - startedAt));
  step.update({ case: 'stepCompleted', value: { stepId: BigInt(count - 1), stepDurationMs } });
}

/** Writes the turn's structure as it is now: a step boundary, to be followed by a checkpoint. */
export function writeTurn(step: Step): void {
  const { turn } = step.state;
  if (!turn) return;
  const blobId = step.write(encodeTurn(step.state, turn.steps));
  step.record({ case: 'turnWritten', value: { blobId } });
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
  const steps = segments.map((segment) => step.write(encodeSegment(segment, step.now)));
  const blobId = step.write(encodeTurn(step.state, [...turn.steps, ...steps]));
  step.record({ case: 'turnWritten', value: { blobId, draftMessageBlobId } });
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
  arguments: text,
  providerOptionsJson,
}: tandem.ToolRequested): ToolCallPart {
  const part = {
    type: 'tool-call',
    toolCallId: callId,
    toolName: name,
    input: parseArguments(text),
  } as const;
  if (!providerOptionsJson) return part;
  return { ...part, providerOptions: JSON.parse(providerOptionsJson) as ProviderOptions };
}

function encodeSegment({ type, text, startedAt, durationMs }: Segment, now: number): Uint8Array {
  const startedAtMs = BigInt(startedAt);
  const completedAtMs = BigInt(durationMs === undefined ? now : startedAt + durationMs);
  return toBinary(
    agent.ConversationStepSchema,
    create(agent.ConversationStepSchema, {
      message:
        type === 'text'
          ? { case: 'assistantMessage', value: { text, startedAtMs, completedAtMs } }
          : {
              case: 'thinkingMessage',
              value: { text, durationMs: durationMs ?? now - startedAt, startedAtMs, completedAtMs },
            },
    }),
  );
}

function encodeTurn({ turn, facts }: TurnState, steps: readonly Uint8Array[]): Uint8Array {
  const value = {
    userMessage: turn?.userMessage,
    userMessageId: turn?.userMessageId || undefined,
    steps: [...steps],
    requestId: facts.requestId,
  };
  return toBinary(
    agent.ConversationTurnStructureSchema,
    create(agent.ConversationTurnStructureSchema, { turn: { case: 'agentConversationTurn', value } }),
  );
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
