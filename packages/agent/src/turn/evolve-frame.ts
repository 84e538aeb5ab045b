import type { Position } from '@tandem/actor-core';
import type { agent } from '@tandem/proto';
import { askedExec, askedQuery, rememberRequest } from './attempts/sent-requests.ts';
import { evolveInjectionState } from './injections/queue.ts';
import { askBlob } from './restore/state.ts';
import type { ModelRun, PendingWrite, Segment, TurnState } from './state.ts';
import {
  evolvePartialCall,
  evolveQuery,
  evolveToolCompleted,
  evolveToolExec,
  evolveToolStarted,
} from './tool-calls/evolve.ts';
import { stateDigest } from './transcript/checkpoint-digest.ts';
import { evolveUserShellAsked } from './user-shell/user-shell.ts';

/** Applies what clients were shown or asked. */
export function evolveFrame(state: TurnState, frame: agent.AgentServerMessage, at: Position): TurnState {
  const { case: kind, value } = frame.message;
  switch (kind) {
    case 'interactionUpdate':
      return evolveUpdate(state, value);
    case 'kvServerMessage':
      return evolveKv(state, value, at);
    case 'execServerMessage':
      return evolveExec(rememberRequest(state, askedExec(value, at)), value, at);
    case 'interactionQuery':
      return evolveQuery(rememberRequest(state, askedQuery(at)), value, at);
    case 'conversationCheckpointUpdate': {
      const checkpoints = [...state.delivery.checkpoints, { digest: stateDigest(value), at }];
      return { ...state, checkpointDue: false, delivery: { ...state.delivery, checkpoints } };
    }
    default:
      return state;
  }
}

function evolveExec(state: TurnState, exec: agent.ExecServerMessage, at: Position): TurnState {
  const next = evolveUserShellAsked(evolveToolExec({ ...state, nextExec: exec.id + 1 }, exec, at), exec, at);
  if (exec.message.case !== 'requestContextArgs') return next;
  return { ...next, context: { status: 'asked', exec: exec.id, at } };
}

function evolveUpdate(state: TurnState, update: agent.InteractionUpdate): TurnState {
  const startedAt = Number(update.messageStartedAtMs ?? 0n);
  const { case: kind, value } = update.message;
  switch (kind) {
    case 'textDelta':
      return value.isServerNotice ? state : shown(state, 'text', value.text, startedAt);
    case 'thinkingDelta':
      return shown(state, 'reasoning', value.text, startedAt);
    case 'thinkingCompleted': {
      const open = state.model?.open;
      if (!state.model || open?.type !== 'reasoning') return state;
      const ended: Segment = { ...open, durationMs: value.thinkingDurationMs };
      return { ...state, model: { ...state.model, closed: [...state.model.closed, ended], open: undefined } };
    }
    case 'partialToolCall':
      return evolvePartialCall(state, value);
    case 'toolCallStarted':
      return evolveToolStarted(state, value, startedAt);
    case 'toolCallCompleted':
      return evolveToolCompleted(state, value);
    case 'contextInjectionState':
      return evolveInjectionState(state, value);
    case 'stepStarted':
      return { ...state, step: { count: state.step.count + 1, open: true, startedAt } };
    case 'stepCompleted':
      return { ...state, step: { ...state.step, open: false } };
    default:
      return state;
  }
}

/** A delta either extends the open segment or, being of the other type, begins a new one. */
function shown(state: TurnState, type: Segment['type'], text: string, startedAt: number): TurnState {
  const { model } = state;
  if (!model) return state;
  if (model.open?.type === type) {
    return { ...state, model: { ...model, open: { ...model.open, text: model.open.text + text } } };
  }
  const open: Segment = { type, text, startedAt, durationMs: undefined, providerOptions: undefined };
  const run: ModelRun = { ...model, closed: model.open ? [...model.closed, model.open] : model.closed, open };
  return { ...state, model: run };
}

function evolveKv(state: TurnState, { id, message }: agent.KvServerMessage, at: Position): TurnState {
  const next = { ...state, nextKv: id + 1 };
  if (message.case === 'getBlobArgs') {
    return { ...next, restore: askBlob(state.restore, id, message.value.blobId, at) };
  }
  if (message.case !== 'setBlobArgs') return next;
  const { blobId, blobData } = message.value;
  const pendingWrites = new Map<number, PendingWrite>();
  let refusals = 0;
  for (const [kvId, write] of state.pendingWrites) {
    // A repeated write takes the place of the one it repeats.
    if (Buffer.compare(write.id, blobId) === 0) refusals = write.refusals + (write.refused ? 1 : 0);
    else pendingWrites.set(kvId, write);
  }
  pendingWrites.set(id, { id: blobId, data: blobData, at, refusals, refused: false, replaced: false });
  return { ...next, pendingWrites };
}
