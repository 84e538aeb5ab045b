import type { HistoryItem, Position } from '@tandem/actor-core';
import type { AgentLocal } from './effects.ts';
import { evolveCommand } from './evolve-command.ts';
import { evolveFrame } from './evolve-frame.ts';
import { evolveLocal } from './evolve-local.ts';
import { evolveRecord } from './evolve-record.ts';
import { comparePositions } from './position.ts';
import type { TurnState } from './state.ts';

type AttemptItem = Extract<HistoryItem<AgentLocal>, { kind: 'attempt' }>;

/** Applies one item of the history. */
export function evolve(state: TurnState, item: HistoryItem<AgentLocal>, at: Position): TurnState {
  if (item.kind === 'local') return evolveLocal(state, item.value);
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
      return beginAttempt(seen, item);
  }
}

function beginAttempt(state: TurnState, { requestId, start, withheld = [] }: AttemptItem): TurnState {
  // What the lost attempt ran ended with it; what the new one will be asked, it will run.
  const isAsked = (at: Position) =>
    (!start || comparePositions(at, start) > 0) &&
    !withheld.some((other) => comparePositions(at, other) === 0);
  const openExecs = new Map([...state.openExecs].filter(([, at]) => isAsked(at)));
  return { ...state, requestId, openExecs, checkpointDue: state.turn?.written !== undefined };
}
