import type { tandem } from '@tandem/proto';
import { decodeMessage } from '../model/message-json.ts';
import type { ProviderOptions, Usage } from '../model/port.ts';
import { replaceWrites } from './blobs/pending-writes.ts';
import { errorOf } from './ending/ending-record.ts';
import { later } from './position.ts';
import type { OpenTurn, Segment, TurnState } from './state.ts';
import { evolveToolRecord } from './tool-calls/evolve.ts';
import { callsOf } from './tool-calls/tool-call.ts';

/** Applies what the turn remembers beside frames. */
export function evolveRecord(state: TurnState, record: tandem.TurnRecord): TurnState {
  const { case: kind, value } = record.kind;
  switch (kind) {
    case 'phase':
      return { ...state, phase: value.phase };
    case 'conversationClaimed':
      return { ...state, activated: true };
    case 'contextMissing':
      return { ...state, context: { status: 'known', value: undefined } };
    case 'transcriptAppended':
      return appendMessage(state, value.blobId);
    case 'turnOpened':
      return beginTurn(state, value);
    case 'arrivalDelivered':
      return { ...state, queued: state.queued.slice(1) };
    case 'stepAppended':
      return state.turn
        ? { ...state, turn: { ...state.turn, steps: [...state.turn.steps, value.blobId] } }
        : state;
    case 'turnWritten':
      return writeTurn(state, value);
    case 'modelCallStarted':
      return {
        ...state,
        modelCalls: value.call,
        model: { call: value.call, closed: [], open: undefined, partials: [], calls: [] },
      };
    case 'reasoningEnded':
      return endReasoning(state, value.providerOptionsJson);
    case 'modelCallEnded':
      return endModelCall(state, value);
    case 'turnEnding':
      return { ...state, ending: { end: value.end, error: errorOf(value) } };
    case 'toolRequested':
    case 'toolFailed':
    case 'toolEnded':
    case 'toolWaits':
    case 'toolAnswered':
    case 'toolKept':
    case 'queryAsked':
      return evolveToolRecord(state, record.kind);
    case 'clientHas': {
      if (!value.position) return state;
      const position = { entry: Number(value.position.entry), item: value.position.item };
      return { ...state, delivery: { ...state.delivery, known: later(state.delivery.known, position) } };
    }
    default:
      return state;
  }
}

function beginTurn(state: TurnState, opened: tandem.TurnOpened): TurnState {
  const turn = openTurn(opened);
  const former = opened.follows ? state.turn : undefined;
  if (!former) return { ...state, turn };
  const formerTurns = former.written ? [...state.formerTurns, former.written] : state.formerTurns;
  return { ...state, formerTurns, turn: { ...turn, replacedTurns: former.replacedTurns } };
}

function openTurn(opened: tandem.TurnOpened): OpenTurn {
  return {
    userMessage: opened.userMessageBlobId,
    steps: opened.stepBlobIds,
    userMessageId: opened.userMessageId,
    replacedTurns: opened.replacedTurns,
    startedAt: Number(opened.atMs),
    written: undefined,
    draftMessage: undefined,
  };
}

function writeTurn(state: TurnState, { blobId, draftMessageBlobId }: tandem.TurnWritten): TurnState {
  if (!state.turn) return state;
  const { written, draftMessage } = state.turn;
  // What was a draft may have become the answer as it was.
  const isAnswer = state.appended.some(({ id }) => sameBlob(draftMessage, id));
  const replaced = [sameBlob(written, blobId) ? undefined : written, isAnswer ? undefined : draftMessage];
  const turn = {
    ...state.turn,
    written: blobId,
    draftMessage: draftMessageBlobId.length ? draftMessageBlobId : undefined,
  };
  return { ...state, pendingWrites: replaceWrites(state.pendingWrites, replaced), checkpointDue: true, turn };
}

function sameBlob(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.compare(a, b) === 0;
}

/** The message's bytes are in a write that was asked for just before. */
function appendMessage(state: TurnState, id: Uint8Array): TurnState {
  for (const write of state.pendingWrites.values()) {
    if (Buffer.compare(write.id, id) !== 0) continue;
    const message = decodeMessage(write.data);
    const toolCalls = message.role === 'assistant' ? callsOf(message) : [];
    return { ...state, toolCalls, appended: [...state.appended, { id, message }] };
  }
  throw new Error('a message was appended that was not written');
}

/** Belongs to the reasoning that was told to be complete last. */
function endReasoning(state: TurnState, json: string): TurnState {
  const { model } = state;
  const index = model?.closed.findLastIndex(({ type }) => type === 'reasoning') ?? -1;
  const segment = model?.closed[index];
  if (!model || !segment) return state;
  const ended: Segment = { ...segment, providerOptions: JSON.parse(json) as ProviderOptions };
  return { ...state, model: { ...model, closed: model.closed.with(index, ended) } };
}

function endModelCall(state: TurnState, ended: tandem.ModelCallEnded): TurnState {
  const { interrupted, length } = state.brokenAnswers;
  const reason = ended.finishReason;
  const usage = ended.usage;
  return {
    ...state,
    model: undefined,
    usage: usage ? addUsage(state.usage, usage) : state.usage,
    contextTokens: usage
      ? Number(usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens)
      : state.contextTokens,
    brokenAnswers:
      reason === 'length'
        ? { interrupted, length: length + 1 }
        : reason === 'interrupted' || reason === 'error'
          ? { interrupted: interrupted + 1, length }
          : reason === TAKEN_OVER
            ? state.brokenAnswers
            : { interrupted: 0, length: 0 },
  };
}

/** How a model call ends whose process was lost; not the model's fault, so it counts against no bound. */
export const TAKEN_OVER = 'taken_over';

function addUsage(sum: Usage, usage: tandem.ModelUsage): Usage {
  return {
    inputTokens: sum.inputTokens + Number(usage.inputTokens),
    outputTokens: sum.outputTokens + Number(usage.outputTokens),
    cacheReadTokens: sum.cacheReadTokens + Number(usage.cacheReadTokens),
    cacheWriteTokens: sum.cacheWriteTokens + Number(usage.cacheWriteTokens),
    reasoningTokens: sum.reasoningTokens + Number(usage.reasoningTokens),
  };
}
