import type { HistoryItem, Position } from '@tandem/actor-core';
import { type agent, decodeHex } from '@tandem/proto';
import { neededWrites, restartBlobClock } from '../blobs/index.ts';
import { askContext } from '../context/index.ts';
import { comparePositions, later } from '../delivery.ts';
import { writeDraft } from '../model-call/index.ts';
import { askBlob } from '../restore/index.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { stateDigest } from '../transcript/index.ts';
import type { Verdict } from '../verdict.ts';
import { repeatRequests } from './repeat-requests.ts';
import { withheldFrames } from './sent-requests.ts';

/**
 * A client tries again. Nothing runs again: its reader starts behind what the client is known to have. Requests from
 * before that place which it has not answered are made again, since its reader won't see them; those behind it, it gets
 * as they are, but for those that could do something twice.
 */
export function decideAttempt(step: Step, requestId: string, message: agent.AgentClientMessage): Verdict {
  const { state } = step;
  const start = startOf(state, message);
  const withheld = withheldFrames(state, start);
  step.add({ kind: 'attempt', requestId, start, withheld });
  if (state.ended) return undefined;
  const lost = (at: Position) => start !== undefined && comparePositions(at, start) <= 0;
  for (const { id, data, at } of neededWrites(state)) {
    if (lost(at)) step.setBlob(id, data);
  }
  for (const { id, at } of state.restore.asked.values()) if (lost(at)) askBlob(step, decodeHex(id));
  if (state.context.status === 'asked' && lost(state.context.at)) askContext(step);
  repeatRequests(step, lost, withheld);
  writeDraft(step);
  restartBlobClock(step);
  return 'advance';
}

/** A gateway ended a response cleanly; what it says the client got counts when nothing stood between the two. */
export function decideResponseEnded(step: Step, position: Position, trusted: boolean): Verdict {
  const { known } = step.state.delivery;
  if (!trusted || (known && comparePositions(position, known) <= 0)) return undefined;
  step.record({
    case: 'clientHas',
    value: { position: { entry: BigInt(position.entry), item: position.item } },
  });
  return undefined;
}

type AttemptItem = Extract<HistoryItem<never>, { kind: 'attempt' }>;

/** Another attempt is the living one. */
export function evolveAttempt(state: TurnState, { requestId, start, withheld = [] }: AttemptItem): TurnState {
  // What the lost attempt ran ended with it; what the new one will be asked, it will run.
  const isAsked = (at: Position) =>
    (!start || comparePositions(at, start) > 0) &&
    !withheld.some((other) => comparePositions(at, other) === 0);
  const openExecs = new Map([...state.openExecs].filter(([, at]) => isAsked(at)));
  return { ...state, requestId, openExecs, checkpointDue: state.turn?.written !== undefined };
}

/**
 * The last place up to which the client has everything: the newest of the checkpoint that it sent back, a frame whose
 * request it answered, and the end of a clean response. Undefined: the client may lack everything.
 */
function startOf(
  { delivery, ended }: TurnState,
  { message }: agent.AgentClientMessage,
): Position | undefined {
  const state = message.case === 'runRequest' ? message.value.conversationState : undefined;
  const digest = state && stateDigest(state);
  const sentBack = delivery.checkpoints.findLast((checkpoint) => checkpoint.digest === digest)?.at;
  const start = later(sentBack, delivery.known);
  if (!start || !ended || !delivery.last) return start;
  // The end of the stream is behind the last item, and is never left out.
  return comparePositions(start, delivery.last) > 0 ? delivery.last : start;
}
