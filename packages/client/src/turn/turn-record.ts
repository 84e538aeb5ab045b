import type { agent } from '@tandem/proto';
import type { ServerFrame } from '../stream/event-reader.ts';

/** Tokens, as the providers counted them. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
}

/** What one attempt brought. */
export interface TurnRecord {
  readonly text: string;
  readonly thinking: string;
  /** The newest checkpoint of this attempt. */
  readonly checkpoint: agent.ConversationStateStructure | undefined;
  readonly turnEnded: boolean;
  /** A checkpoint followed `turn_ended`: whatever happens to the connection, the turn is done. */
  readonly terminal: boolean;
  /** Summed over all `turn_ended`; absent while there was none. */
  readonly usage: Usage | undefined;
}

export const EMPTY_RECORD: TurnRecord = {
  text: '',
  thinking: '',
  checkpoint: undefined,
  turnEnded: false,
  terminal: false,
  usage: undefined,
};

/** The record with one more event. */
export function record(before: TurnRecord, { message }: agent.AgentServerMessage): TurnRecord {
  if (message.case === 'conversationCheckpointUpdate') {
    return { ...before, checkpoint: message.value, terminal: before.turnEnded };
  }
  if (message.case !== 'interactionUpdate') return before;
  const update = message.value.message;
  switch (update.case) {
    case 'textDelta':
      return { ...before, text: before.text + update.value.text };
    case 'thinkingDelta':
      return { ...before, thinking: before.thinking + update.value.text };
    case 'turnEnded':
      return {
        ...before,
        turnEnded: true,
        terminal: false,
        usage: sumUsage(before.usage, usageOf(update.value)),
      };
    default:
      return before;
  }
}

/** Adds up; undefined counts as nothing. */
export function sumUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

function usageOf(ended: agent.TurnEndedUpdate): Usage {
  return {
    inputTokens: Number(ended.inputTokens ?? 0),
    outputTokens: Number(ended.outputTokens ?? 0),
    cacheReadTokens: Number(ended.cacheReadTokens ?? 0),
    cacheWriteTokens: Number(ended.cacheWriteTokens ?? 0),
    reasoningTokens: Number(ended.reasoningTokens ?? 0),
  };
}

/** Whether a frame is a sign of life only, which is no part of a turn's events. */
export function isHeartbeat({ message }: ServerFrame): boolean {
  return message.message.case === 'interactionUpdate' && message.message.value.message.case === 'heartbeat';
}
