import type { Request } from '../../tools/steps.ts';
import {
  type BoundTool,
  type CallContext,
  type Done,
  errorText,
  type Next,
  type ShownTool,
} from '../../tools/tool.ts';
import { modeOf, requestContext, subagentModel } from '../context/index.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { transcript } from '../transcript/index.ts';
import { failureText } from './evolve.ts';
import type { ToolCall } from './state.ts';
import { turnTools } from './turn-tools.ts';

/** A call's tool with its arguments, or why it can't be called. */
export function bindCall(state: TurnState, call: ToolCall): BoundTool | string {
  const tool = turnTools(state).get(call.name);
  if (!tool) return `There is no tool ${call.name} here.`;
  if (!validArguments(call.input)) return 'The arguments are not a JSON object. Nothing was done.';
  const bound = tool.bind(call.input, contextOf(state, call));
  return typeof bound === 'string' ? `The arguments are not right. Nothing was done.\n${bound}` : bound;
}

/** A call is replaced when something happens to it, so that what follows from it is worked out once. */
const nexts = new WeakMap<ToolCall, Next>();

/** What a started call does next. */
export function nextOf(state: TurnState, call: ToolCall): Next {
  const known = nexts.get(call);
  if (known) return known;
  const next = findNext(state, call);
  nexts.set(call, next);
  return next;
}

function findNext(state: TurnState, call: ToolCall): Next {
  const bound = bindCall(state, call);
  if (typeof bound === 'string') {
    return { done: { shown: shownUnbound(state, call), output: errorText(bound) } };
  }
  if (call.failure) return { done: bound.fail(failureText(call.failure)) };
  return bound.next(call.answers);
}

/** How a call ends that can't go on. */
export function failCall(state: TurnState, call: ToolCall, reason: string): Done {
  const bound = bindCall(state, call);
  if (typeof bound === 'string') return { shown: shownUnbound(state, call), output: errorText(reason) };
  return bound.fail(reason);
}

/** How a call is shown before it has a result. */
export function shownCall(state: TurnState, call: ToolCall): ShownTool {
  const bound = bindCall(state, call);
  return typeof bound === 'string' ? shownUnbound(state, call) : bound.shown();
}

/** What a call that waits has asked. */
export function requestOf(state: TurnState, call: ToolCall): Request | undefined {
  const next = nextOf(state, call);
  return 'request' in next ? next.request : undefined;
}

/** Puts a call's request to the client, or to the server itself. */
export function sendRequest(step: Step, call: ToolCall, request: Request): void {
  if (request.type === 'pause' || request.type === 'job') {
    step.record({ case: 'toolWaits', value: { callId: call.callId } });
    return;
  }
  if (request.type === 'exec') {
    // The id in the request names the call: it is how the request is found again after a takeover.
    const value = {
      id: step.state.nextExec,
      message: request.exec,
      execId: call.callId,
      acceptHookAdditionalContexts: true,
    };
    step.frame({ case: 'execServerMessage', value });
    return;
  }
  const queryId = step.state.nextQuery;
  step.record({ case: 'queryAsked', value: { callId: call.callId, queryId } });
  step.frame({ case: 'interactionQuery', value: { id: queryId, query: request.query } });
}

function shownUnbound(state: TurnState, { name }: ToolCall): ShownTool {
  const kind = turnTools(state).get(name)?.kind;
  if (kind) return { case: kind, value: {} } as ShownTool;
  return { case: 'mcpToolCall', value: { args: { name, toolName: name } } };
}

function contextOf(state: TurnState, call: ToolCall): CallContext {
  return {
    callId: call.callId,
    startedAt: call.startedAt,
    terminalsFolder: requestContext(state)?.env?.terminalsFolder ?? '',
    conversationId: state.request?.run.conversationId ?? '',
    mode: modeOf(state),
    subagentModel: (type, wanted) => subagentModel(state, type, wanted),
    earlierCalls: (name) => {
      const inputs: unknown[] = [];
      for (const message of transcript(state)) {
        if (message.role !== 'assistant') continue;
        for (const part of message.content) {
          if (part.type !== 'tool-call') continue;
          if (part.toolCallId === call.callId) return inputs;
          if (part.toolName === name) inputs.push(part.input);
        }
      }
      return inputs;
    },
  };
}

/** Stands in the transcript for arguments that are no JSON object: providers refuse anything else there. */
const INVALID = 'invalid_arguments';

/** A call's arguments. No text at all stands for a call without arguments. */
export function parseArguments(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // What the model wrote is kept as it is, and told to be wrong.
  }
  return { [INVALID]: text };
}

/** Whether the model's arguments could be read. */
function validArguments(input: unknown): boolean {
  const keys = typeof input === 'object' && input !== null ? Object.keys(input) : [];
  return !(keys.length === 1 && keys[0] === INVALID);
}
