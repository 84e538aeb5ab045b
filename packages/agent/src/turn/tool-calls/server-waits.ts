import type { ServerAnswer } from '../../tools/steps.ts';
import type { JobResult } from '../../web/port.ts';
import type { Step } from '../step.ts';
import type { Verdict } from '../verdict.ts';
import { requestOf } from './bind.ts';
import type { ToolCall } from './state.ts';

/** A call waits for the server: starts what it waits for, unless this process has. */
export function proceedServerWait(step: Step, call: ToolCall): void {
  const request = requestOf(step.state, call);
  const name = nameOf(call);
  if (request?.type === 'pause') step.startTimer({ type: 'pause', wait: name }, request.ms);
  if (request?.type !== 'job' || step.state.process.jobs.has(name)) return;
  step.local({ type: 'job', name, running: true });
  step.effect({ type: 'run_job', name, job: request.job });
}

export function decideJobDone(step: Step, name: string, result: JobResult): Verdict {
  step.local({ type: 'job', name, running: false });
  answer(step, name, { type: 'job', result });
  return 'advance';
}

export function decidePauseEnd(step: Step, name: string): Verdict {
  answer(step, name, { type: 'paused' });
  return 'advance';
}

/** Nothing of the call is needed any more. */
export function abortServerWait(step: Step, call: ToolCall): void {
  const name = nameOf(call);
  step.stopTimer({ type: 'pause', wait: name });
  if (!step.state.process.jobs.has(name)) return;
  step.local({ type: 'job', name, running: false });
  step.effect({ type: 'abort_job', name });
}

function answer(step: Step, name: string, value: ServerAnswer): void {
  const call = step.state.toolCalls.find((other) => other.waitsForServer && nameOf(other) === name);
  if (!call) return;
  const answerJson = JSON.stringify(value);
  step.record({ case: 'toolAnswered', value: { callId: call.callId, answerJson } });
}

/** One call waits once at a time; the number of answers tells its waits apart. */
function nameOf({ callId, answers }: ToolCall): string {
  return `${answers.length}:${callId}`;
}
