import type { Position } from '@tandem/actor-core';
import type { agent } from '@tandem/proto';
import { comparePositions } from '../position.ts';
import type { TurnState } from '../state.ts';
import { requestOf } from '../tool-calls/bind.ts';

/** Something that the client was asked to do, in a frame that a further attempt might get once more. */
export interface SentRequest {
  readonly at: Position;
  /** The tool call it is for; empty for what the turn asks for itself. */
  readonly callId: string;
  /** Doing it twice is not the same as doing it once. */
  readonly effect: boolean;
}

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

export function askedExec({ message, execId }: agent.ExecServerMessage, at: Position): SentRequest {
  return { at, callId: execId, effect: !READ_ONLY.has(message.case) };
}

export function askedQuery(at: Position): SentRequest {
  return { at, callId: '', effect: false };
}

/** Remembers a frame; those that the client is known to have are never sent again, so they are forgotten. */
export function rememberRequest(state: TurnState, frame: SentRequest): TurnState {
  const { known } = state.delivery;
  const asked = known
    ? state.sentRequests.filter(({ at }) => comparePositions(at, known) > 0)
    : state.sentRequests;
  return { ...state, sentRequests: [...asked, frame] };
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
