import type { Position } from '@tandem/actor-core';
import type { agent } from '@tandem/proto';
import { comparePositions } from '../delivery.ts';
import type { TurnState } from '../state.ts';
import { requestOf } from '../tool-calls/index.ts';
import type { SentRequest } from './state.ts';

type ExecKind = NonNullable<agent.ExecServerMessage['message']['case']>;

/** Execs that only look. Whatever is not known to only look counts as having an effect. */
const READ_ONLY: ReadonlySet<ExecKind | undefined> = new Set<ExecKind>([
  'requestContextArgs',
  'readArgs',
  'redactedReadArgs',
  'lsArgs',
  'grepArgs',
  'diagnosticsArgs',
  'listMcpResourcesExecArgs',
  'readMcpResourceExecArgs',
  'mcpStateExecArgs',
  'subagentAwaitArgs',
  'canvasDiagnosticsArgs',
  'shellAllowlistPrecheckArgs',
  'mcpAllowlistPrecheckArgs',
  'webFetchAllowlistPrecheckArgs',
  'gitDiffRequest',
  'piReadArgs',
  'piGrepArgs',
  'piFindArgs',
  'piLsArgs',
  'conversationSearchArgs',
]);

/** The client was asked to do something. */
export function evolveExecSent(
  state: TurnState,
  { message, execId }: agent.ExecServerMessage,
  at: Position,
): TurnState {
  return remember(state, { at, callId: execId, effect: !READ_ONLY.has(message.case) });
}

/** The user was asked something. */
export function evolveQuerySent(state: TurnState, at: Position): TurnState {
  return remember(state, { at, callId: '', effect: false });
}

/** Those that the client is known to have are never sent again, so they are forgotten. */
function remember(state: TurnState, request: SentRequest): TurnState {
  const { known } = state.delivery;
  const missing = known
    ? state.sentRequests.filter(({ at }) => comparePositions(at, known) > 0)
    : state.sentRequests;
  return { ...state, sentRequests: [...missing, request] };
}

/**
 * The frames behind a place that a further attempt's reader must not get: its client would do once more what the earlier
 * one may have done. Of a turn that is over nothing is to be done at all.
 */
export function withheldFrames(state: TurnState, start: Position | undefined): Position[] {
  return state.sentRequests
    .filter(({ at }) => !start || comparePositions(at, start) > 0)
    .filter((frame) => state.ended || (frame.effect && !isRepeatable(state, frame)))
    .map(({ at }) => at);
}

/** Whether a call still waits for this very frame, and may be made again. */
function isRepeatable(state: TurnState, { at, callId }: SentRequest): boolean {
  const call = state.toolCalls.find((other) => other.callId === callId);
  if (!call?.pending || comparePositions(call.pending.at, at) !== 0) return false;
  const ask = requestOf(state, call);
  return ask?.type === 'exec' && ask.repeatable;
}
