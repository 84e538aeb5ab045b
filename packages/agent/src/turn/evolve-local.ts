import type { AgentLocal } from './effects.ts';
import { putBlobs } from './restore-state.ts';
import type { ProcessState, TurnState } from './state.ts';

/** Applies what only this process knows. */
export function evolveLocal(state: TurnState, local: AgentLocal): TurnState {
  switch (local.type) {
    case 'model_running':
      return inProcess(state, { modelCall: local.call });
    case 'cache_asked':
      return inProcess(state, { cacheAsked: true });
    case 'blobs_loaded':
      return inProcess({ ...state, restore: putBlobs(state.restore, local.found) }, { cacheAnswered: true });
    case 'claiming':
      return inProcess(state, { claiming: true });
    case 'overdue':
      return inProcess(state, { overdue: true });
    case 'timer': {
      const timers = new Set(state.process.timers);
      if (local.running) timers.add(local.name);
      else timers.delete(local.name);
      return inProcess(state, { timers });
    }
  }
}

function inProcess(state: TurnState, change: Partial<ProcessState>): TurnState {
  return { ...state, process: { ...state.process, ...change } };
}
