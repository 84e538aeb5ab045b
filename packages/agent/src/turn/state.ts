import type { Position, TurnFacts } from '@tandem/actor-core';
import type { TandemError } from '@tandem/errors';
import { type agent, tandem } from '@tandem/proto';
import type { ModelMessage } from '../model/message.ts';
import type { ProviderOptions, Usage } from '../model/port.ts';
import type { ToolKind } from '../tools/tool.ts';
import type { SentRequest } from './attempts/sent-requests.ts';
import type { ServerTools } from './effects.ts';
import type { QueuedInput } from './injections/queue.ts';
import { EMPTY_RESTORE, type Restore } from './restore/state.ts';
import { type ConversationChanges, NO_CHANGES } from './tool-calls/changes.ts';
import type { ToolCall } from './tool-calls/tool-call.ts';
import type { UserShell } from './user-shell/user-shell.ts';

/**
 * A turn as its history tells it. Immutable; whatever grows with a conversation is replaced at step boundaries only, so
 * that a delta costs a shallow copy.
 */
export interface TurnState {
  readonly facts: TurnFacts;
  readonly serverTools: ServerTools;
  /** The living attempt. */
  readonly requestId: string;
  readonly phase: tandem.Phase;
  readonly request: OpenedRequest | undefined;
  readonly activated: boolean;
  readonly context: ContextState;
  /** What the checkpoint that the client brought refers to. */
  readonly restore: Restore;
  /** Messages of the transcript beyond the restored ones. */
  readonly appended: readonly TranscriptEntry[];
  readonly turn: OpenTurn | undefined;
  /** The structures of turns that this run has begun and gone on from. */
  readonly formerTurns: readonly Uint8Array[];
  /** What came during the turn, for the model to read before its next call. */
  readonly queued: readonly QueuedInput[];
  /** What clients were told of their injections last. */
  readonly injectionStates: ReadonlyMap<string, agent.ContextInjectionState['state']['case']>;
  readonly checkpointDue: boolean;
  readonly model: ModelRun | undefined;
  readonly modelCalls: number;
  /** The tool calls of the last answer, in its order, until the model has their results. */
  readonly toolCalls: readonly ToolCall[];
  readonly changes: ConversationChanges;
  /** The command that the turn is about, when it is not about a model. */
  readonly userShell: UserShell | undefined;
  /** Execs of tool calls that the client is not done with, and where each was asked. */
  readonly openExecs: ReadonlyMap<number, Position>;
  /** What the client was asked to do and is not known to have got. */
  readonly sentRequests: readonly SentRequest[];
  /** Answers broken off, and cut off at the output limit, since the last whole one. */
  readonly brokenAnswers: { readonly interrupted: number; readonly length: number };
  readonly step: { readonly count: number; readonly open: boolean; readonly startedAt: number };
  readonly usage: Usage;
  /** Tokens of the last model call, prompt and answer. */
  readonly contextTokens: number;
  /** Blob writes the client has not confirmed, by KV id. */
  readonly pendingWrites: ReadonlyMap<number, PendingWrite>;
  /** KV ids count over all attempts: a later attempt's reader also gets requests of earlier ones. */
  readonly nextKv: number;
  readonly nextExec: number;
  readonly nextQuery: number;
  readonly ending: Ending | undefined;
  readonly ended: boolean;
  readonly delivery: Delivery;
  readonly process: ProcessState;
}

export interface OpenedRequest {
  readonly run: agent.AgentRunRequest;
  /** Undefined after a prewarm, until the action comes. */
  readonly action: agent.ConversationAction | undefined;
}

export type ContextState =
  | { readonly status: 'unknown' }
  | { readonly status: 'asked'; readonly exec: number; readonly at: Position }
  | { readonly status: 'known'; readonly value: agent.RequestContext | undefined };

export interface TranscriptEntry {
  readonly id: Uint8Array;
  readonly message: ModelMessage;
}

/** The turn's structure, as clients keep it. */
export interface OpenTurn {
  /** Blob ids. */
  readonly userMessage: Uint8Array;
  readonly steps: readonly Uint8Array[];
  readonly userMessageId: string;
  readonly replacedTurns: number;
  readonly startedAt: number;
  /** The last structure written. */
  readonly written: Uint8Array | undefined;
  readonly draftMessage: Uint8Array | undefined;
}

/** A model call that has started and not ended; its answer is what clients were shown of it. */
export interface ModelRun {
  readonly call: number;
  readonly closed: readonly Segment[];
  readonly open: Segment | undefined;
  /** Tool calls whose arguments clients were shown as they came. */
  readonly partials: readonly { readonly callId: string; readonly kind: ToolKind }[];
  /** Tool calls that are complete, to be run when the answer ends as it should. */
  readonly calls: readonly tandem.ToolRequested[];
}

export interface Segment {
  readonly type: 'reasoning' | 'text';
  readonly text: string;
  readonly startedAt: number;
  /** Of reasoning: how long it took, once clients were told that it is complete. */
  readonly durationMs: number | undefined;
  readonly providerOptions: ProviderOptions | undefined;
}

export interface PendingWrite {
  readonly id: Uint8Array;
  readonly data: Uint8Array;
  readonly at: Position;
  /** How often the write had been refused before this one. */
  readonly refusals: number;
  readonly refused: boolean;
  /** Nothing that is still to be sent refers to it. */
  readonly replaced: boolean;
}

export interface Ending {
  readonly end: tandem.TurnEnd;
  readonly error: TandemError | undefined;
}

/** What is known of what the client has. */
export interface Delivery {
  /** The last place up to which the client has everything. */
  readonly known: Position | undefined;
  /** The last item before the end. */
  readonly last: Position | undefined;
  readonly checkpoints: readonly { readonly digest: string; readonly at: Position }[];
}

/** Gone after a takeover. */
export interface ProcessState {
  readonly modelCall: number | undefined;
  readonly cacheAsked: boolean;
  readonly cacheAnswered: boolean;
  readonly activating: boolean;
  readonly timers: ReadonlySet<string>;
  readonly overdue: boolean;
  /** Jobs of tool calls that run. */
  readonly jobs: ReadonlySet<string>;
}

const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** A turn before anything happened to it. */
export function createState(
  facts: TurnFacts,
  serverTools: ServerTools = { webFetch: false, webSearch: false },
): TurnState {
  return {
    facts,
    serverTools,
    requestId: facts.requestId,
    phase: tandem.Phase.CREATED,
    request: undefined,
    activated: false,
    context: { status: 'unknown' },
    restore: EMPTY_RESTORE,
    appended: [],
    turn: undefined,
    formerTurns: [],
    queued: [],
    injectionStates: new Map(),
    checkpointDue: false,
    model: undefined,
    modelCalls: 0,
    toolCalls: [],
    changes: NO_CHANGES,
    userShell: undefined,
    openExecs: new Map(),
    sentRequests: [],
    brokenAnswers: { interrupted: 0, length: 0 },
    step: { count: 0, open: false, startedAt: 0 },
    usage: NO_USAGE,
    contextTokens: 0,
    pendingWrites: new Map(),
    nextKv: 0,
    nextExec: 0,
    nextQuery: 0,
    ending: undefined,
    ended: false,
    delivery: { known: undefined, last: undefined, checkpoints: [] },
    process: {
      modelCall: undefined,
      cacheAsked: false,
      cacheAnswered: false,
      activating: false,
      timers: new Set(),
      overdue: false,
      jobs: new Set(),
    },
  };
}
