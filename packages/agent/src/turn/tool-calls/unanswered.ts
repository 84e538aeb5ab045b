import { tandem } from '@tandem/proto';
import type { ModelMessage } from '../../model/message.ts';
import { errorText } from '../../tools/tool.ts';
import type { Step } from '../step.ts';
import { appendMessage } from '../transcript/index.ts';
import { callsOf, failureText } from './evolve.ts';
import { resolutionText } from './resolutions.ts';

/**
 * A checkpoint from the middle of a step ends with calls that have no results. Providers refuse such a transcript, so
 * they get one: what the client knows of them, else that nobody knows what became of them.
 * @returns whether there were any
 */
export function answerOpenCalls(step: Step, before: readonly ModelMessage[]): boolean {
  const last = before.at(-1);
  const open = last?.role === 'assistant' ? callsOf(last) : [];
  if (open.length === 0) return false;
  const action = step.state.request?.action?.action;
  const known =
    action?.case === 'userMessageAction' ? action.value.interruptedPendingToolCallResolutions : undefined;
  const lost = failureText({ kind: tandem.ToolFailure.LOST, detail: '' });
  appendMessage(step, {
    role: 'tool',
    content: open.map(({ callId, name }) => ({
      type: 'tool-result',
      toolCallId: callId,
      toolName: name,
      output: errorText(resolutionText(known, callId) ?? lost),
    })),
  });
  return true;
}
