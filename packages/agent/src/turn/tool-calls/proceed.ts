import { tandem } from '@tandem/proto';
import { beginEnding } from '../ending/ending.ts';
import { modelCallId } from '../model-call/tool-events.ts';
import { proceedRestore } from '../restore/load-blobs.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { bindCall, nextOf, sendRequest, shownCall } from './bind.ts';
import { commitResults } from './commit-results.ts';
import { keepDeadlines } from './deadlines.ts';
import { endCall } from './end-call.ts';
import { proceedServerWait } from './server-waits.ts';
import type { ToolCall } from './tool-call.ts';

/** Brings the calls of the last answer forward, side by side, and in the end their results to the model. */
export function proceedTools(step: Step): boolean {
  if (step.state.restore.missing > 0) return proceedRestore(step);
  const { toolCalls } = step.state;
  for (const call of toolCalls) {
    if (!call.output && proceedRun(step, call)) return true;
  }
  keepDeadlines(step);
  if (toolCalls.some(({ output }) => !output)) return false;
  const fault = commitResults(step);
  if (fault) beginEnding(step, tandem.TurnEnd.FAILED, fault);
  return true;
}

function proceedRun(step: Step, call: ToolCall): boolean {
  const { callId } = call;
  if (!call.started) {
    if (isBlocked(step.state, call)) return false;
    const toolCall = { tool: shownCall(step.state, call), toolCallId: callId, startedAtMs: BigInt(step.now) };
    const value = { callId, toolCall, modelCallId: modelCallId(step.state) };
    step.update({ case: 'toolCallStarted', value }, step.now);
    return true;
  }
  if (call.pending) return false;
  if (call.waitsForServer) {
    proceedServerWait(step, call);
    return false;
  }
  const next = nextOf(step.state, call);
  if ('ask' in next) sendRequest(step, call, next.ask);
  else endCall(step, call, next.done);
  return true;
}

/** Calls about one file go one after another, in the order of the answer, when one of them changes it. */
function isBlocked(state: TurnState, call: ToolCall): boolean {
  const own = filesOf(state, call);
  if (own.paths.length === 0) return false;
  for (const earlier of state.toolCalls) {
    if (earlier.callId === call.callId) return false;
    if (earlier.output) continue;
    const other = filesOf(state, earlier);
    if (!own.writes && !other.writes) continue;
    if (other.paths.some((path) => own.paths.includes(path))) return true;
  }
  return false;
}

function filesOf(state: TurnState, call: ToolCall): { paths: readonly string[]; writes: boolean } {
  const bound = bindCall(state, call);
  if (typeof bound === 'string') return { paths: [], writes: false };
  return { paths: bound.files.map((path) => path.replace(/^(\.[/\\])+/, '')), writes: bound.writes };
}
