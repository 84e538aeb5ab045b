import { TandemError } from '@tandem/errors';
import type { ModelMessage, ToolCallPart, ToolMessage } from '../../model/message.ts';
import { WAITING_TOOLS } from '../../tools/registry.ts';
import type { ToolOutput } from '../../tools/tool.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { appendMessage, appendStep, endStep, writeTurn } from '../transcript/index.ts';
import type { ToolCall } from './state.ts';

/** From so many equal answers in a row on the model is told, */
const TOLD = 4;
/** and at so many the turn ends. */
const STOPPED = 8;

/**
 * The results of all calls become part of the transcript, in the order of the calls.
 * @returns why the turn has to end: the model makes the same call again and again
 */
export function commitResults(step: Step): TandemError | undefined {
  const { toolCalls } = step.state;
  const repeats = equalAnswers(step.state);
  const note =
    repeats >= TOLD ? `\n[You have made this same call ${repeats} times in a row. Do something else.]` : '';
  appendMessage(step, resultsMessage(toolCalls, note));
  for (const { shown } of toolCalls) if (shown) appendStep(step, { case: 'toolCall', value: shown });
  writeTurn(step);
  endStep(step);
  if (repeats < STOPPED) return undefined;
  return new TandemError('model_repeats');
}

function resultsMessage(calls: readonly ToolCall[], note: string): ToolMessage {
  return {
    role: 'tool',
    content: calls.map(({ callId, name, output }) => ({
      type: 'tool-result',
      toolCallId: callId,
      toolName: name,
      output: noted(output ?? { type: 'error-text', value: 'There is no result.' }, note),
    })),
  };
}

function noted(output: ToolOutput, note: string): ToolOutput {
  if (!note) return output;
  if (output.type !== 'content') return { ...output, value: output.value + note };
  return { ...output, value: [...output.value, { type: 'text', text: note.trim() }] };
}

/** How many answers in a row, the last one included, made the same calls. */
function equalAnswers({ appended }: TurnState): number {
  let count = 0;
  let last: string | undefined;
  for (const { message } of appended.toReversed()) {
    if (message.role === 'tool') continue;
    const calls = callsKey(message);
    if (!calls || (last !== undefined && calls !== last)) break;
    last = calls;
    count += 1;
  }
  return count;
}

function callsKey(message: ModelMessage): string | undefined {
  if (message.role !== 'assistant') return undefined;
  const calls = message.content.filter((part): part is ToolCallPart => part.type === 'tool-call');
  if (calls.length === 0 || calls.some(isPatient)) return undefined;
  return JSON.stringify(calls.map(({ toolName, input }) => [toolName, input]));
}

/** To wait once more for what takes long is no repetition; only to look again and again is. */
function isPatient({ toolName, input }: ToolCallPart): boolean {
  if (!WAITING_TOOLS.has(toolName)) return false;
  return (input as { timeout_ms?: unknown } | null)?.timeout_ms !== 0;
}
