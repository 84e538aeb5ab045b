import { tandem } from '@tandem/proto';
import { PATIENT } from '../../tools/tool.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { requestOf } from './bind.ts';
import type { ToolCall } from './tool-call.ts';

const PREFIX = 'exec:';

/** Sets a clock for each request that is out and has a deadline, and stops those of answered ones. */
export function keepDeadlines(step: Step): void {
  const { state } = step;
  const wanted = new Map<string, number>();
  for (const call of state.toolCalls) {
    const deadline = deadlineOf(state, call);
    if (deadline) wanted.set(deadline.timer, deadline.ms);
  }
  for (const name of state.process.timers) {
    if (name.startsWith(PREFIX) && !wanted.has(name)) step.stopTimer(name);
  }
  for (const [name, ms] of wanted) step.startTimer(name, ms);
}

/** The client took too long: it is told to stop, and the model that there is no answer. A heartbeat is none. */
export function decideToolTimeout(step: Step, name: string): void {
  const call = step.state.toolCalls.find((other) => deadlineOf(step.state, other)?.timer === name);
  if (call?.pending?.type !== 'exec') return;
  abortExec(step, call.pending.id);
  const failure = tandem.ToolFailure.TIMED_OUT;
  step.record({ case: 'toolFailed', value: { callId: call.callId, failure } });
}

export function abortExec(step: Step, id: number): void {
  const message = { case: 'abort', value: { id } } as const;
  step.frame({ case: 'execServerControlMessage', value: { message } });
}

/** Where the clock starts with the work, another one bounds what comes before: a user may take long to allow it. */
function deadlineOf(state: TurnState, call: ToolCall): { timer: string; ms: number } | undefined {
  const request = requestOf(state, call);
  if (request?.type !== 'exec' || call.pending?.type !== 'exec') return undefined;
  const { ms, from } = request.deadline;
  const timer = PREFIX + call.pending.id;
  if (from === 'request') return { timer, ms };
  return call.pending.shell.started ? { timer: `${timer}:run`, ms } : { timer, ms: PATIENT.ms };
}
