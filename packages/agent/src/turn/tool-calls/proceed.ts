import { type agent, tandem } from '@tandem/proto';
import { PATIENT } from '../../tools/steps.ts';
import { type AgentTimer, timerName } from '../effects.ts';
import { proceedRestore } from '../restore/index.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { failed, type Verdict } from '../verdict.ts';
import { bindCall, failCall, nextOf, requestOf, sendRequest } from './bind.ts';
import { commitResults } from './commit-results.ts';
import { failureText, waitingCall } from './evolve.ts';
import { resolutionText } from './resolutions.ts';
import { abortServerWait, proceedServerWait } from './server-waits.ts';
import { endCall, startCall } from './show.ts';
import type { ToolCall } from './state.ts';

/** Brings the calls of the last answer forward, side by side, and in the end their results to the model. */
export function proceedToolCalls(step: Step): Verdict {
  if (step.state.restore.missing > 0) return proceedRestore(step);
  const { toolCalls } = step.state;
  for (const call of toolCalls) {
    if (!call.output && proceedCall(step, call)) return 'advance';
  }
  keepDeadlines(step);
  if (toolCalls.some(({ output }) => !output)) return undefined;
  const fault = commitResults(step);
  return fault ? failed(fault) : 'advance';
}

/** The turn ends while calls run: they are stopped, and what is finished is kept. */
export function stopTools(step: Step, resolutions?: agent.InterruptedPendingToolCallResolutions): void {
  if (step.state.toolCalls.length === 0) return;
  for (const call of step.state.toolCalls) {
    if (call.output) continue;
    if (call.pending?.type === 'exec') abortExec(step, call.pending.id);
    if (call.waitsForServer) abortServerWait(step, call);
    const failure = call.failure ?? { kind: tandem.ToolFailure.CANCELED, detail: '' };
    const said = resolutionText(resolutions, call.callId) ?? failureText(failure);
    endCall(step, call, failCall(step.state, call, said));
  }
  commitResults(step);
}

/** Returns whether something was done. */
function proceedCall(step: Step, call: ToolCall): boolean {
  if (!call.started) {
    if (isBlocked(step.state, call)) return false;
    startCall(step, call);
    return true;
  }
  if (call.pending) return false;
  if (call.waitsForServer) {
    proceedServerWait(step, call);
    return false;
  }
  const next = nextOf(step.state, call);
  if ('request' in next) sendRequest(step, call, next.request);
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

/** Sets a clock for each request that is out and has a deadline, and stops those of answered ones. */
function keepDeadlines(step: Step): void {
  const { state } = step;
  const wanted = state.toolCalls.flatMap((call) => deadlineOf(state, call) ?? []);
  const names = new Set(wanted.map(({ timer }) => timerName(timer)));
  for (const [name, timer] of state.process.timers) {
    if (timer.type === 'exec' && !names.has(name)) step.stopTimer(timer);
  }
  for (const { timer, ms } of wanted) step.startTimer(timer, ms);
}

/** The client took too long: it is told to stop, and the model that there is no answer. A heartbeat is none. */
export function decideExecTimeout(step: Step, timer: AgentTimer & { type: 'exec' }): Verdict {
  const call = waitingCall(step.state, 'exec', timer.id);
  const deadline = call && deadlineOf(step.state, call);
  if (!deadline || timerName(deadline.timer) !== timerName(timer)) return 'advance';
  abortExec(step, timer.id);
  const failure = tandem.ToolFailure.TIMED_OUT;
  step.record({ case: 'toolFailed', value: { callId: call.callId, failure } });
  return 'advance';
}

export function abortExec(step: Step, id: number): void {
  const message = { case: 'abort', value: { id } } as const;
  step.frame({ case: 'execServerControlMessage', value: { message } });
}

/** Where the clock starts with the work, another one bounds what comes before: a user may take long to allow it. */
function deadlineOf(
  state: TurnState,
  call: ToolCall,
): { timer: AgentTimer & { type: 'exec' }; ms: number } | undefined {
  const request = requestOf(state, call);
  if (request?.type !== 'exec' || call.pending?.type !== 'exec') return undefined;
  const { ms, from } = request.deadline;
  const { id, shell } = call.pending;
  const started = from === 'start' && shell.started;
  return { timer: { type: 'exec', id, started }, ms: from === 'start' && !started ? PATIENT.ms : ms };
}
