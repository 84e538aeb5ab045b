import {
  type Ask,
  type BoundTool,
  type Done,
  errorText,
  type Next,
  type ShownTool,
  type ToolContext,
} from '../tools/tool.ts';
import { requestContext } from './context.ts';
import { modeOf } from './mode.ts';
import type { TurnState } from './state.ts';
import type { Step } from './step.ts';
import { subagentModel } from './subagent.ts';
import { validArguments } from './tool-arguments.ts';
import { failureText, type ToolRun } from './tool-run.ts';
import { transcript } from './transcript.ts';
import { turnTools } from './turn-tools.ts';

/** A call's tool with its arguments, or why it can't be called. */
export function bindRun(state: TurnState, run: ToolRun): BoundTool | string {
  const tool = turnTools(state).get(run.name);
  if (!tool) return `There is no tool ${run.name} here.`;
  if (!validArguments(run.input)) return 'The arguments are not a JSON object. Nothing was done.';
  const bound = tool.bind(run.input, contextOf(state, run));
  return typeof bound === 'string' ? `The arguments are not right. Nothing was done.\n${bound}` : bound;
}

/** A run is replaced when something happens to it, so that what follows from it is worked out once. */
const nexts = new WeakMap<ToolRun, Next>();

/** What a started call does next. */
export function nextOf(state: TurnState, run: ToolRun): Next {
  const known = nexts.get(run);
  if (known) return known;
  const next = findNext(state, run);
  nexts.set(run, next);
  return next;
}

function findNext(state: TurnState, run: ToolRun): Next {
  const bound = bindRun(state, run);
  if (typeof bound === 'string')
    return { done: { shown: shownUnbound(state, run), output: errorText(bound) } };
  if (run.failure) return { done: refused(bound, failureText(run.failure)) };
  return bound.next(run.answers);
}

/** How a call ends that can't go on. */
export function refusal(state: TurnState, run: ToolRun, reason: string): Done {
  const bound = bindRun(state, run);
  if (typeof bound === 'string') return { shown: shownUnbound(state, run), output: errorText(reason) };
  return refused(bound, reason);
}

/** How a call is shown before it has a result. */
export function shownRun(state: TurnState, run: ToolRun): ShownTool {
  const bound = bindRun(state, run);
  return typeof bound === 'string' ? shownUnbound(state, run) : bound.shown();
}

/** What a call that waits has asked. */
export function askOf(state: TurnState, run: ToolRun): Ask | undefined {
  const next = nextOf(state, run);
  return 'ask' in next ? next.ask : undefined;
}

/** Puts a call's request to the client, or to the server itself. */
export function ask(step: Step, run: ToolRun, request: Ask): void {
  if (request.type === 'pause' || request.type === 'job') {
    step.record({ case: 'toolWaits', value: { callId: run.callId } });
    return;
  }
  if (request.type === 'exec') {
    // The id in the request names the call: it is how the request is found again after a takeover.
    const value = {
      id: step.state.nextExec,
      message: request.exec,
      execId: run.callId,
      acceptHookAdditionalContexts: true,
    };
    step.frame({ case: 'execServerMessage', value });
    return;
  }
  const queryId = step.state.nextQuery;
  step.record({ case: 'queryAsked', value: { callId: run.callId, queryId } });
  step.frame({ case: 'interactionQuery', value: { id: queryId, query: request.query } });
}

function refused(bound: BoundTool, reason: string): Done {
  return { shown: bound.refuse(reason), output: errorText(reason) };
}

function shownUnbound(state: TurnState, { name }: ToolRun): ShownTool {
  const kind = turnTools(state).get(name)?.kind;
  if (kind) return { case: kind, value: {} } as ShownTool;
  return { case: 'mcpToolCall', value: { args: { name, toolName: name } } };
}

function contextOf(state: TurnState, run: ToolRun): ToolContext {
  return {
    callId: run.callId,
    startedAt: run.startedAt,
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
          if (part.toolCallId === run.callId) return inputs;
          if (part.toolName === name) inputs.push(part.input);
        }
      }
      return inputs;
    },
  };
}
