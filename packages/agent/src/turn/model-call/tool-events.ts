import type { ModelEvent } from '../../model/port.ts';
import type { ShownTool } from '../../tools/tool.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { modelCallId, turnTools } from '../tool-calls/index.ts';
import { transcript } from '../transcript/index.ts';
import { endReasoning } from './answer.ts';

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

/** Ids of calls before the running model call; the array is replaced when a message is appended. */
const used = new WeakMap<TurnState['appended'], ReadonlySet<string>>();

/**
 * The id of a tool call that the running model call makes. Some providers number the calls of each answer anew, but clients
 * take a request with the id and arguments of an earlier one for its repetition: they don't carry it out, and give the earlier
 * result. So an id that was used gets an ending.
 */
function callIdOf(state: TurnState, id: string): string {
  let ids = used.get(state.appended);
  if (!ids) {
    ids = usedIds(state);
    used.set(state.appended, ids);
  }
  let own = id;
  for (let count = state.modelCalls; ids.has(own); count++) own = `${id}.${count}`;
  return own;
}

function usedIds(state: TurnState): Set<string> {
  const ids = new Set<string>();
  for (const message of transcript(state)) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') ids.add(part.toolCallId);
  }
  return ids;
}
