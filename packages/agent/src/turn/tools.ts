import { tandem } from '@tandem/proto';
import { commitResults } from './commit-results.ts';
import { endRun } from './end-run.ts';
import { beginEnding } from './ending.ts';
import { proceedRestore } from './restore.ts';
import type { TurnState } from './state.ts';
import type { Step } from './step.ts';
import { ask, bindRun, nextOf, shownRun } from './tool-calls.ts';
import { keepDeadlines } from './tool-deadlines.ts';
import { modelCallId } from './tool-events.ts';
import type { ToolRun } from './tool-run.ts';
import { proceedWait } from './tool-waits.ts';

/** Brings the calls of the last answer forward, side by side, and in the end their results to the model. */
export function proceedTools(step: Step): boolean {
  if (step.state.restore.missing > 0) return proceedRestore(step);
  const { batch } = step.state;
  for (const run of batch) {
    if (!run.output && proceedRun(step, run)) return true;
  }
  keepDeadlines(step);
  if (batch.some(({ output }) => !output)) return false;
  const fault = commitResults(step);
  if (fault) beginEnding(step, tandem.TurnEnd.FAILED, fault);
  return true;
}

function proceedRun(step: Step, run: ToolRun): boolean {
  const { callId } = run;
  if (!run.started) {
    if (isBlocked(step.state, run)) return false;
    const toolCall = { tool: shownRun(step.state, run), toolCallId: callId, startedAtMs: BigInt(step.now) };
    const value = { callId, toolCall, modelCallId: modelCallId(step.state) };
    step.update({ case: 'toolCallStarted', value }, step.now);
    return true;
  }
  if (run.awaits) return false;
  if (run.waits) {
    proceedWait(step, run);
    return false;
  }
  const next = nextOf(step.state, run);
  if ('ask' in next) ask(step, run, next.ask);
  else endRun(step, run, next.done);
  return true;
}

/** Calls about one file go one after another, in the order of the answer, when one of them changes it. */
function isBlocked(state: TurnState, run: ToolRun): boolean {
  const own = filesOf(state, run);
  if (own.paths.length === 0) return false;
  for (const earlier of state.batch) {
    if (earlier.callId === run.callId) return false;
    if (earlier.output) continue;
    const other = filesOf(state, earlier);
    if (!own.writes && !other.writes) continue;
    if (other.paths.some((path) => own.paths.includes(path))) return true;
  }
  return false;
}

function filesOf(state: TurnState, run: ToolRun): { paths: readonly string[]; writes: boolean } {
  const bound = bindRun(state, run);
  if (typeof bound === 'string') return { paths: [], writes: false };
  return { paths: bound.files.map((path) => path.replace(/^(\.[/\\])+/, '')), writes: bound.writes };
}
