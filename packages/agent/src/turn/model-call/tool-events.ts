import type { ModelEvent } from '../../model/port.ts';
import type { ShownTool } from '../../tools/tool.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { turnTools } from '../tool-calls/turn-tools.ts';
import { endReasoning } from '../transcript/commit.ts';
import { callIdOf } from './call-id.ts';

type ToolEvent = Extract<ModelEvent, { type: 'tool_input_start' | 'tool_input_delta' | 'tool_call' }>;

/** Shows a tool call's arguments as the model writes them, and remembers the call once they are complete. */
export function decideToolEvent(step: Step, event: ToolEvent): void {
  endReasoning(step);
  const callId = callIdOf(step.state, event.id);
  switch (event.type) {
    case 'tool_input_start': {
      const kind = turnTools(step.state).get(event.name)?.kind;
      // A tool that is not there has no kind to be shown as.
      if (kind) showArguments(step, callId, { case: kind, value: {} } as ShownTool, '');
      return;
    }
    case 'tool_input_delta': {
      const partial = step.state.model?.partials.find((one) => one.callId === callId);
      if (!partial) return;
      showArguments(step, callId, { case: partial.kind, value: {} } as ShownTool, event.delta);
      return;
    }
    case 'tool_call':
      step.record({
        case: 'toolRequested',
        value: {
          callId,
          name: event.name,
          arguments: event.input,
          providerOptionsJson: event.providerOptions ? JSON.stringify(event.providerOptions) : '',
        },
      });
  }
}

/** Names the model call that a tool call belongs to. */
export function modelCallId({ facts, modelCalls }: TurnState): string {
  return `${facts.requestId}:${modelCalls}`;
}

function showArguments(step: Step, callId: string, tool: ShownTool, argsTextDelta: string): void {
  step.update({
    case: 'partialToolCall',
    value: {
      callId,
      toolCall: { tool, toolCallId: callId },
      argsTextDelta,
      modelCallId: modelCallId(step.state),
    },
  });
}
