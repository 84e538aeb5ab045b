import type { AgentLocal } from './effects.ts';
import { putBlobs } from './restore/state.ts';
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
    case 'activating':
      return inProcess(state, { activating: true });
    case 'job':
      return inProcess(state, { jobs: withOrWithout(state.process.jobs, local.name, local.running) });
    case 'overdue':
      return inProcess(state, { overdue: true });
    case 'timer':
      return inProcess(state, { timers: withOrWithout(state.process.timers, local.name, local.running) });
  }
}

function withOrWithout(names: ReadonlySet<string>, name: string, added: boolean): ReadonlySet<string> {
  const changed = new Set(names);
  if (added) changed.add(name);
  else changed.delete(name);
  return changed;
}

function inProcess(state: TurnState, change: Partial<ProcessState>): TurnState {
  return { ...state, process: { ...state.process, ...change } };
}
