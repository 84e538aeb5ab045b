import type { Done } from '../../tools/tool.ts';
import { modelCallId } from '../model-call/tool-events.ts';
import type { Step } from '../step.ts';
import { recordChanges } from './changes.ts';
import { withHooks } from './hook-context.ts';
import type { ToolCall } from './tool-call.ts';

/** A call is over: shows it, and keeps what the model will read. */
export function endCall(step: Step, call: ToolCall, { shown, output, keeps }: Done): void {
  const { callId, startedAt, hooks } = call;
  if (keeps) recordChanges(step, keeps);
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
