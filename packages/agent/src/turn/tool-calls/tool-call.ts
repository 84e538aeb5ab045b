import type { Position } from '@tandem/actor-core';
import { tandem } from '@tandem/proto';
import type { AssistantMessage, ToolCallPart } from '../../model/message.ts';
import { NEW_SHELL_RUN } from '../../tools/shell-run.ts';
import type { Answer } from '../../tools/steps.ts';
import type { TurnState } from '../state.ts';
import type { ToolCall } from './state.ts';

/** The calls that an answer asks for, none of them begun. */
export function callsOf({ content }: AssistantMessage): ToolCall[] {
  return content
    .filter((part): part is ToolCallPart => part.type === 'tool-call')
    .map(({ toolCallId, toolName, input }) => ({
      callId: toolCallId,
      name: toolName,
      input,
      started: false,
      startedAt: 0,
      pending: undefined,
      answers: [],
      waitsForServer: false,
      hooks: [],
      failure: undefined,
      shown: undefined,
      output: undefined,
    }));
}

/** The client was asked: a shell starts to be listened to. */
export function requested(call: ToolCall, id: number, at: Position): ToolCall {
  return { ...call, pending: { type: 'exec', id, at, shell: NEW_SHELL_RUN } };
}

/** The client answered what was asked last. */
export function answered(call: ToolCall, answer: Answer): ToolCall {
  return { ...call, pending: undefined, waitsForServer: false, answers: [...call.answers, answer] };
}

/** No answer will come, or none that counts. */
export function failed(call: ToolCall, kind: tandem.ToolFailure, detail = ''): ToolCall {
  return call.output
    ? call
    : { ...call, pending: undefined, waitsForServer: false, failure: { kind, detail } };
}

/** What the model is told of a call that failed. */
export function failureText({ kind, detail }: NonNullable<ToolCall['failure']>): string {
  const { ToolFailure } = tandem;
  switch (kind) {
    case ToolFailure.THROWN:
      return `The client could not do it: ${detail}`;
    case ToolFailure.CLOSED:
      return 'The client ended it without an answer.';
    case ToolFailure.TIMED_OUT:
      return 'No answer came in time, and it was stopped. It may have had some of its effect.';
    case ToolFailure.LOST:
      return 'Interrupted, outcome unknown: check before repeating it.';
    case ToolFailure.CANCELED:
      return 'Stopped before it was finished.';
    default:
      return 'The client gave an answer that is not understood.';
  }
}

/** The call that waits for an exec or a query. */
export function waitingCall(state: TurnState, type: 'exec' | 'query', id: number): ToolCall | undefined {
  return state.toolCalls.find(({ pending }) => pending?.type === type && pending.id === id);
}
