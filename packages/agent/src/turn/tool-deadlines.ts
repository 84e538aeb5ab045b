import { tandem } from '@tandem/proto';
import type { TurnState } from './state.ts';
import type { Step } from './step.ts';
import { askOf } from './tool-calls.ts';
import type { ToolRun } from './tool-run.ts';

const PREFIX = 'exec:';

/** Sets a clock for each request that is out and has a deadline, and stops those of answered ones. */
export function keepDeadlines(step: Step): void {
  const { state } = step;
  const wanted = new Set(
    state.batch.flatMap(({ awaits }) => (awaits?.type === 'exec' ? [timerOf(awaits.id)] : [])),
  );
  for (const name of state.process.timers) {
    if (name.startsWith(PREFIX) && !wanted.has(name)) step.stopTimer(name);
  }
  for (const run of state.batch) {
    if (run.awaits?.type !== 'exec' || state.process.timers.has(timerOf(run.awaits.id))) continue;
    const ms = deadlineOf(state, run);
    if (ms !== undefined) step.startTimer(timerOf(run.awaits.id), ms);
  }
}

/** The client took too long: it is told to stop, and the model that there is no answer. A heartbeat is none. */
export function decideToolTimeout(step: Step, name: string): void {
  const run = step.state.batch.find(({ awaits }) => awaits?.type === 'exec' && timerOf(awaits.id) === name);
  if (run?.awaits?.type !== 'exec') return;
  abortExec(step, run.awaits.id);
  const failure = tandem.ToolFailure.TIMED_OUT;
  step.record({ case: 'toolFailed', value: { callId: run.callId, failure } });
}

export function abortExec(step: Step, id: number): void {
  const message = { case: 'abort', value: { id } } as const;
  step.frame({ case: 'execServerControlMessage', value: { message } });
}

function deadlineOf(state: TurnState, run: ToolRun): number | undefined {
  const request = askOf(state, run);
  if (request?.type !== 'exec' || run.awaits?.type !== 'exec') return undefined;
  const { ms, from } = request.deadline;
  return from === 'request' || run.awaits.shell.started ? ms : undefined;
}

function timerOf(execId: number): string {
  return PREFIX + execId;
}
