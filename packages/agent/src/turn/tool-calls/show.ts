import { create, toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { cutEnd } from '../../tools/cut-text.ts';
import type { Changes, Done, ToolOutput } from '../../tools/tool.ts';
import type { TurnState } from '../state.ts';
import type { Step } from '../step.ts';
import { shownCall } from './bind.ts';
import { waitingCall } from './evolve.ts';
import type { HookContext, ToolCall } from './state.ts';

/** Names the model call that a tool call belongs to. */
export function modelCallId({ facts, modelCalls }: TurnState): string {
  return `${facts.requestId}:${modelCalls}`;
}

/** A call begins. */
export function startCall(step: Step, call: ToolCall): void {
  const { callId } = call;
  const toolCall = {
    tool: shownCall(step.state, call),
    toolCallId: callId,
    startedAtMs: BigInt(step.now),
  };
  const value = { callId, toolCall, modelCallId: modelCallId(step.state) };
  step.update({ case: 'toolCallStarted', value }, step.now);
}

/** A call is over: shows it, and keeps what the model will read. */
export function endCall(step: Step, call: ToolCall, { shown, output, changes }: Done): void {
  const { callId, startedAt, hooks } = call;
  if (changes) recordChanges(step, changes);
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

/** Shows what a running command prints. Returns false for all other messages. */
export function showShellOutput(step: Step, { id, message }: agent.ExecClientMessage): boolean {
  if (message.case !== 'shellStream') return false;
  const { event } = message.value;
  if (event.case !== 'stdout' && event.case !== 'stderr') return false;
  const call = waitingCall(step.state, 'exec', id);
  if (!call) return true;
  // Some clients show output with its call, others as it is.
  if (step.state.facts.info.clientType !== 'ide') step.update({ case: 'shellOutputDelta', value: { event } });
  const delta = { case: event.case, value: { content: event.value.data } };
  step.update({
    case: 'toolCallDelta',
    value: {
      callId: call.callId,
      toolCallDelta: { delta: { case: 'shellToolCallDelta', value: { delta } } },
      modelCallId: modelCallId(step.state),
    },
  });
  return true;
}

/** Writes what a call changes in the conversation's state as blobs, for the next checkpoint. */
function recordChanges(step: Step, { todos, plan, mode }: Changes): void {
  const todoBlobIds = todos?.map((todo) =>
    step.write(toBinary(agent.TodoItemSchema, create(agent.TodoItemSchema, todo))),
  );
  const planBlobId =
    plan === undefined
      ? undefined
      : step.write(toBinary(agent.ConversationPlanSchema, create(agent.ConversationPlanSchema, { plan })));
  step.record({ case: 'toolKept', value: { todos: todos !== undefined, todoBlobIds, planBlobId, mode } });
}

/** Most characters that the model is given of one hook. */
const HOOK_CHARS = 10_000;

/** The result as the model reads it, with what hooks had to say behind it. */
function withHooks(output: ToolOutput, hooks: readonly HookContext[]): ToolOutput {
  if (hooks.length === 0) return output;
  const said = hooks.map(
    ({ hookEventName, content }) =>
      `[The user's hook ${hookEventName || '(unnamed)'} adds:]\n${cutEnd(content, HOOK_CHARS)}`,
  );
  const added = said.join('\n');
  if (output.type !== 'content') return { ...output, value: `${output.value}\n${added}` };
  return { ...output, value: [...output.value, { type: 'text', text: added }] };
}
