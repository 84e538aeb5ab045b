import type { Done } from '../tools/tool.ts';
import { withHooks } from './hook-context.ts';
import type { Step } from './step.ts';
import { modelCallId } from './tool-events.ts';
import { keep } from './tool-keeps.ts';
import type { ToolRun } from './tool-run.ts';

/** A call is over: shows it, and keeps what the model will read. */
export function endRun(step: Step, run: ToolRun, { shown, output, keeps }: Done): void {
  const { callId, startedAt, hooks } = run;
  if (keeps) keep(step, keeps);
  const toolCall = {
    tool: shown,
    toolCallId: callId,
    hookAdditionalContexts: [...hooks],
    startedAtMs: startedAt ? BigInt(startedAt) : undefined,
    completedAtMs: BigInt(step.now),
  };
  const value = { callId, toolCall, modelCallId: modelCallId(step.state) };
  step.update({ case: 'toolCallCompleted', value });
  step.record({ case: 'toolEnded', value: { callId, outputJson: JSON.stringify(withHooks(output, hooks)) } });
}
