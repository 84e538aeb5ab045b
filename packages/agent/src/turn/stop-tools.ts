import { type agent, tandem } from '@tandem/proto';
import { commitResults } from './commit-results.ts';
import { endRun } from './end-run.ts';
import { resolutionText } from './resolutions.ts';
import type { Step } from './step.ts';
import { refusal } from './tool-calls.ts';
import { abortExec } from './tool-deadlines.ts';
import { failureText } from './tool-run.ts';
import { abortWait } from './tool-waits.ts';

/** The turn ends while calls run: they are stopped, and what is finished is kept. */
export function stopTools(step: Step, resolutions?: agent.InterruptedPendingToolCallResolutions): void {
  if (step.state.batch.length === 0) return;
  for (const run of step.state.batch) {
    if (run.output) continue;
    if (run.awaits?.type === 'exec') abortExec(step, run.awaits.id);
    if (run.waits) abortWait(step, run);
    const failure = run.failure ?? { kind: tandem.ToolFailure.CANCELED, detail: '' };
    const said = resolutionText(resolutions, run.callId) ?? failureText(failure);
    endRun(step, run, refusal(step.state, run, said));
  }
  commitResults(step);
}
