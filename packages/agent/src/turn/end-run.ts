import type { Done } from '../tools/tool.ts';
import type { Step } from './step.ts';
import { modelCallId } from './tool-events.ts';
import type { ToolRun } from './tool-run.ts';

/** A call is over: shows it, and keeps what the model will read. */
export function endRun(step: Step, { callId, startedAt }: ToolRun, { shown, output }: Done): void {
  const toolCall = {
    tool: shown,
    toolCallId: callId,
    startedAtMs: startedAt ? BigInt(startedAt) : undefined,
    completedAtMs: BigInt(step.now),
  };
  const value = { callId, toolCall, modelCallId: modelCallId(step.state) };
  step.update({ case: 'toolCallCompleted', value });
  step.record({ case: 'toolEnded', value: { callId, outputJson: JSON.stringify(output) } });
}
