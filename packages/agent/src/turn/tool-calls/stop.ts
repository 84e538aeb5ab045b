import { type agent, tandem } from '@tandem/proto';
import type { Step } from '../step.ts';
import { failCall } from './bind.ts';
import { commitResults } from './commit-results.ts';
import { abortExec } from './deadlines.ts';
import { resolutionText } from './resolutions.ts';
import { abortServerWait } from './server-waits.ts';
import { endCall } from './show.ts';
import { failureText } from './tool-call.ts';

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
