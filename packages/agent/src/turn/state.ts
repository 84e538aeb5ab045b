import type { TurnFacts } from '@tandem/actor-core';
import { tandem } from '@tandem/proto';
import { type AttemptsState, attemptsState } from './attempts/state.ts';
import { BLOBS, type BlobsState } from './blobs/state.ts';
import { CONTEXT, type ContextState } from './context/state.ts';
import type { AgentTimer, ServerTools } from './effects.ts';
import { ENDING, type EndingState } from './ending/state.ts';
import { INJECTIONS, type InjectionsState } from './injections/state.ts';
import { MODEL_CALL, type ModelCallState } from './model-call/state.ts';
import { OPENING, type OpeningState } from './opening/state.ts';
import { RESTORE, type RestoreState } from './restore/state.ts';
import { TOOL_CALLS, type ToolCallsState } from './tool-calls/state.ts';
import { TRANSCRIPT, type TranscriptState } from './transcript/state.ts';
import { USER_SHELL_STATE, type UserShellState } from './user-shell/state.ts';

/**
 * A turn as its history tells it: what each feature remembers, side by side. Immutable; whatever grows with a conversation
 * is replaced at step boundaries only, so that a delta costs a shallow copy.
 */
export interface TurnState
  extends OpeningState,
    RestoreState,
    ContextState,
    BlobsState,
    TranscriptState,
    ModelCallState,
    ToolCallsState,
    InjectionsState,
    UserShellState,
    AttemptsState,
    EndingState {
  readonly facts: TurnFacts;
  readonly serverTools: ServerTools;
  readonly phase: tandem.Phase;
  readonly process: ProcessState;
}

/** Gone after a takeover. */
export interface ProcessState {
  readonly modelCall: number | undefined;
  readonly cacheAsked: boolean;
  readonly cacheAnswered: boolean;
  readonly activating: boolean;
  /** Those that run, by name. */
  readonly timers: ReadonlyMap<string, AgentTimer>;
  readonly overdue: boolean;
  /** Jobs of tool calls that run. */
  readonly jobs: ReadonlySet<string>;
}

const NEW_PROCESS: ProcessState = {
  modelCall: undefined,
  cacheAsked: false,
  cacheAnswered: false,
  activating: false,
  timers: new Map(),
  overdue: false,
  jobs: new Set(),
};

/** A turn before anything happened to it. */
export function createState(
  facts: TurnFacts,
  serverTools: ServerTools = { webFetch: false, webSearch: false },
): TurnState {
  return {
    ...OPENING,
    ...RESTORE,
    ...CONTEXT,
    ...BLOBS,
    ...TRANSCRIPT,
    ...MODEL_CALL,
    ...TOOL_CALLS,
    ...INJECTIONS,
    ...USER_SHELL_STATE,
    ...attemptsState(facts.requestId),
    ...ENDING,
    facts,
    serverTools,
    phase: tandem.Phase.CREATED,
    process: NEW_PROCESS,
  };
}
