import { tandem } from '@tandem/proto';
import { PATIENT } from '../../tools/steps.ts';
import { type AgentTimer, timerName } from '../effects.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import type { Verdict } from '../verdict.ts';
import { requestOf } from './bind.ts';
import type { ToolCall } from './state.ts';
import { waitingCall } from './tool-call.ts';

/** Sets a clock for each request that is out and has a deadline, and stops those of answered ones. */
export function keepDeadlines(step: Step): void {
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
