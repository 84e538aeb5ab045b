import type { ServerAnswer } from '../tools/tool.ts';
import type { JobResult } from '../web/port.ts';
import type { Step } from './step.ts';
import { askOf } from './tool-calls.ts';
import type { ToolRun } from './tool-run.ts';

const PAUSE = 'pause:';

/** A call waits for the server: starts what it waits for, unless this process has. */
export function proceedWait(step: Step, run: ToolRun): void {
  const request = askOf(step.state, run);
  const name = nameOf(run);
  if (request?.type === 'pause') step.startTimer(PAUSE + name, request.ms);
  if (request?.type !== 'job' || step.state.process.jobs.has(name)) return;
  step.local({ type: 'job', name, running: true });
  step.effect({ type: 'run_job', name, job: request.job });
}

export function decideJobDone(step: Step, name: string, result: JobResult): void {
  step.local({ type: 'job', name, running: false });
  answer(step, name, { type: 'job', result });
}

/** Returns false for timers of something else. */
export function decidePauseEnd(step: Step, timer: string): boolean {
  if (!timer.startsWith(PAUSE)) return false;
  answer(step, timer.slice(PAUSE.length), { type: 'paused' });
  return true;
}

/** Nothing of the call is needed any more. */
export function abortWait(step: Step, run: ToolRun): void {
  const name = nameOf(run);
  step.stopTimer(PAUSE + name);
  if (!step.state.process.jobs.has(name)) return;
  step.local({ type: 'job', name, running: false });
  step.effect({ type: 'abort_job', name });
}

function answer(step: Step, name: string, value: ServerAnswer): void {
  const run = step.state.batch.find((other) => other.waits && nameOf(other) === name);
  if (!run) return;
  const answerJson = JSON.stringify(value);
  step.record({ case: 'toolAnswered', value: { callId: run.callId, answerJson } });
}

/** One call waits once at a time; the number of answers tells its waits apart. */
function nameOf({ callId, answers }: ToolRun): string {
  return `${answers.length}:${callId}`;
}
