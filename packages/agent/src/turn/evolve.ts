import type { HistoryItem, Position } from '@tandem/actor-core';
import type { agent, tandem } from '@tandem/proto';
import { opensTurn } from './actions.ts';
import { evolveAttempt, evolveExecSent, evolveQuerySent } from './attempts/index.ts';
import { evolveWrite, evolveWriteResult } from './blobs/index.ts';
import { evolveContextAsked, evolveContextClosed, evolveContextResult } from './context/index.ts';
import { clientHas } from './delivery.ts';
import { type AgentLocal, timerName } from './effects.ts';
import { evolveEnding } from './ending/index.ts';
import { evolveDelivered, evolveInjectionState, evolveQueued } from './injections/index.ts';
import {
  evolveCallEnded,
  evolveCallStarted,
  evolvePartialCall,
  evolveReasoningEnded,
  evolveShown,
  evolveThinkingCompleted,
  evolveToolRequested,
} from './model-call/index.ts';
import { evolvePrewarm, evolveRunRequest, openRequest } from './opening/index.ts';
import { evolveLoaded, evolveRead, evolveReadResult } from './restore/index.ts';
import type { ProcessState, TurnState } from './state.ts';
import {
  evolveCalls,
  evolveChanges,
  evolveToolAnswered,
  evolveToolClosed,
  evolveToolCompleted,
  evolveToolEnded,
  evolveToolExec,
  evolveToolFailed,
  evolveToolQuery,
  evolveToolQueryAsked,
  evolveToolResponse,
  evolveToolResult,
  evolveToolStarted,
  evolveToolWaits,
} from './tool-calls/index.ts';
import {
  evolveAppended,
  evolveCheckpoint,
  evolveStep,
  evolveStepAppended,
  evolveTurnOpened,
  evolveTurnWritten,
} from './transcript/index.ts';
import {
  evolveUserShellAsked,
  evolveUserShellClosed,
  evolveUserShellEvent,
  evolveUserShellFailed,
} from './user-shell/index.ts';

/** Applies one item of the history. Here stands what each item is about; how it changes the state is its feature's business. */
export function evolve(state: TurnState, item: HistoryItem<AgentLocal>, at: Position): TurnState {
  if (item.kind === 'local') return { ...state, ...evolveLocal(state, item.value) };
  if (item.kind === 'end') return { ...state, ended: true };
  // Items that follow the end (attempts) change nothing of what the turn was.
  if (state.ended) return state;
  const seen = { ...state, delivery: { ...state.delivery, last: at } };
  switch (item.kind) {
    case 'frame':
      return evolveFrame(seen, item.message, at);
    case 'record':
      return evolveRecord(seen, item.record);
    case 'command':
      return evolveCommand(seen, item.message);
    case 'attempt':
      return evolveAttempt(seen, item);
  }
}

/** Applies what a client said. Only what waits for it changes; anything else is left to `decide`. */
function evolveCommand(state: TurnState, { message }: agent.AgentClientMessage): TurnState {
  switch (message.case) {
    case 'runRequest':
      return evolveRunRequest(state, message.value);
    case 'prewarmRequest':
      return evolvePrewarm(state, message.value);
    case 'conversationAction': {
      if (!state.request) return state;
      const opens = !state.request.action && opensTurn(message.value);
      if (!opens) return evolveQueued(state, message.value);
      return openRequest(state, { run: state.request.run, action: message.value });
    }
    case 'kvClientMessage':
      return evolveWriteResult(evolveReadResult(state, message.value), message.value);
    case 'execClientMessage':
      return evolveToolResult(
        evolveUserShellEvent(evolveContextResult(state, message.value), message.value),
        message.value,
      );
    case 'execClientControlMessage':
      return evolveToolClosed(
        evolveUserShellClosed(evolveContextClosed(state, message.value), message.value),
        message.value,
      );
    case 'interactionResponse':
      return evolveToolResponse(state, message.value);
    default:
      return state;
  }
}

/** Applies what clients were shown or asked. */
function evolveFrame(state: TurnState, { message }: agent.AgentServerMessage, at: Position): TurnState {
  switch (message.case) {
    case 'interactionUpdate':
      return evolveUpdate(state, message.value);
    case 'kvServerMessage':
      return evolveWrite(evolveRead(state, message.value, at), message.value, at);
    case 'execServerMessage': {
      const exec = message.value;
      const sent = evolveExecSent({ ...state, nextExec: exec.id + 1 }, exec, at);
      return evolveContextAsked(evolveUserShellAsked(evolveToolExec(sent, exec, at), exec, at), exec, at);
    }
    case 'interactionQuery':
      return evolveToolQuery(evolveQuerySent(state, at), message.value, at);
    case 'conversationCheckpointUpdate':
      return evolveCheckpoint(state, message.value, at);
    default:
      return state;
  }
}

function evolveUpdate(state: TurnState, { message, messageStartedAtMs }: agent.InteractionUpdate): TurnState {
  const startedAt = Number(messageStartedAtMs ?? 0n);
  switch (message.case) {
    case 'textDelta':
      if (message.value.isServerNotice) return state;
      return evolveShown(state, 'text', message.value.text, startedAt);
    case 'thinkingDelta':
      return evolveShown(state, 'reasoning', message.value.text, startedAt);
    case 'thinkingCompleted':
      return evolveThinkingCompleted(state, message.value);
    case 'partialToolCall':
      return evolvePartialCall(state, message.value);
    case 'toolCallStarted':
      return evolveToolStarted(state, message.value, startedAt);
    case 'toolCallCompleted':
      return evolveToolCompleted(state, message.value);
    case 'contextInjectionState':
      return evolveInjectionState(state, message.value);
    case 'stepStarted':
      return evolveStep(state, { count: state.step.count + 1, open: true, startedAt });
    case 'stepCompleted':
      return evolveStep(state, { ...state.step, open: false });
    default:
      return state;
  }
}

/** Applies what the turn remembers beside frames. */
function evolveRecord(state: TurnState, { kind }: tandem.TurnRecord): TurnState {
  switch (kind.case) {
    case 'phase':
      return { ...state, phase: kind.value.phase };
    case 'conversationClaimed':
      return { ...state, activated: true };
    case 'contextMissing':
      return { ...state, context: { status: 'known', value: undefined } };
    case 'transcriptAppended':
      return evolveCalls(evolveAppended(state, kind.value));
    case 'turnOpened':
      return evolveTurnOpened(state, kind.value);
    case 'arrivalDelivered':
      return evolveDelivered(state);
    case 'stepAppended':
      return evolveStepAppended(state, kind.value);
    case 'turnWritten':
      return evolveTurnWritten(state, kind.value);
    case 'modelCallStarted':
      return evolveCallStarted(state, kind.value);
    case 'reasoningEnded':
      return evolveReasoningEnded(state, kind.value);
    case 'modelCallEnded':
      return evolveCallEnded(state, kind.value);
    case 'toolRequested':
      return evolveToolRequested(state, kind.value);
    case 'toolFailed':
      return evolveToolFailed(evolveUserShellFailed(state, kind.value), kind.value);
    case 'toolEnded':
      return evolveToolEnded(state, kind.value);
    case 'toolWaits':
      return evolveToolWaits(state, kind.value);
    case 'toolAnswered':
      return evolveToolAnswered(state, kind.value);
    case 'toolKept':
      return evolveChanges(state, kind.value);
    case 'queryAsked':
      return evolveToolQueryAsked(state, kind.value);
    case 'turnEnding':
      return evolveEnding(state, kind.value);
    case 'clientHas': {
      const { position } = kind.value;
      return position ? clientHas(state, { entry: Number(position.entry), item: position.item }) : state;
    }
    default:
      return state;
  }
}

/** Applies what only this process knows. */
function evolveLocal(state: TurnState, local: AgentLocal): Partial<TurnState> {
  const inProcess = (change: Partial<ProcessState>) => ({ process: { ...state.process, ...change } });
  switch (local.type) {
    case 'model_running':
      return inProcess({ modelCall: local.call });
    case 'cache_asked':
      return inProcess({ cacheAsked: true });
    case 'blobs_loaded':
      return { ...evolveLoaded(state, local.found), ...inProcess({ cacheAnswered: true }) };
    case 'activating':
      return inProcess({ activating: true });
    case 'overdue':
      return inProcess({ overdue: true });
    case 'job': {
      const jobs = new Set(state.process.jobs);
      if (local.running) jobs.add(local.name);
      else jobs.delete(local.name);
      return inProcess({ jobs });
    }
    case 'timer': {
      const timers = new Map(state.process.timers);
      if (local.running) timers.set(timerName(local.timer), local.timer);
      else timers.delete(timerName(local.timer));
      return inProcess({ timers });
    }
  }
}
