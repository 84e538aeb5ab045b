import { toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { proceedRestore } from '../restore/index.ts';
import type { Step } from '../step.ts';
import {
  appendMessage,
  buildCheckpoint,
  endStep,
  modelUserMessage,
  newContext,
  textMessage,
  writeTurn,
} from '../transcript/index.ts';
import type { Verdict } from '../verdict.ts';
import { queueFault } from './queue.ts';
import type { QueuedInput } from './state.ts';

/** Before a model is called: what came meanwhile becomes part of its transcript. */
export function proceedQueued(step: Step): Verdict {
  const [input] = step.state.queued;
  if (!input) return undefined;
  if (step.state.restore.missing > 0) return proceedRestore(step);
  deliver(step, input);
  return 'advance';
}

/** Tells a client what becomes of its injection: it waits to be delivered, or why it won't be. */
export function answerInjection(
  step: Step,
  action: agent.ConversationAction,
  { injectionId }: agent.InjectContextAction,
): void {
  const { state } = step;
  if (state.queued.some((input) => input.injectionId === injectionId)) {
    tellInjectionState(step, injectionId, { case: 'queued', value: {} });
    return;
  }
  // Once more what was said before: a client that repeats itself must not take a delivered message for a lost one.
  if (state.injectionStates.get(injectionId) === 'delivered') {
    tellInjectionState(step, injectionId, { case: 'delivered', value: { step: state.step.count } });
    return;
  }
  const reason = queueFault(state, action) ?? 'It can no longer be delivered.';
  if (state.ending) tellInjectionState(step, injectionId, { case: 'queuedForNextTurn', value: {} });
  else tellInjectionState(step, injectionId, { case: 'rejected', value: { reason } });
}

/** The turn ends before it could deliver these; clients send them as their next message, unless the user stopped it all. */
export function returnQueued(step: Step, canceled: boolean): void {
  for (const { injectionId } of step.state.queued) {
    if (injectionId === undefined) continue;
    tellInjectionState(step, injectionId, { case: canceled ? 'cancelled' : 'queuedForNextTurn', value: {} });
  }
}

function deliver(step: Step, input: QueuedInput): void {
  const { injectionId, messages, system, context, shown } = input;
  const { state } = step;
  endStep(step);
  if (injectionId === undefined) step.record({ case: 'arrivalDelivered', value: {} });
  else {
    tellInjectionState(step, injectionId, {
      case: 'delivered',
      value: {
        step: state.step.count,
        deliveryBatchId: `${state.facts.requestId}:${state.modelCalls + 1}`,
        deliveredAtMs: BigInt(step.now),
      },
    });
  }
  if (system) appendMessage(step, textMessage(systemContext(system)));
  messages.forEach((message, index) => {
    const news = index === 0 ? newContext(step.state, context, step.now) : [];
    beginFurther(step, message);
    appendMessage(step, modelUserMessage(step.state, message, news));
    if (shown) step.update({ case: 'userMessageAppended', value: { userMessage: message } });
  });
  writeTurn(step);
}

/** Clients keep one user message a turn: a further one begins a turn in their history. */
function beginFurther(step: Step, message: agent.UserMessage): void {
  const before = buildCheckpoint(step.state, 0);
  const conversationStateBlobId = step.write(toBinary(agent.ConversationStateStructureSchema, before));
  const userMessageBlobId = step.write(
    toBinary(agent.UserMessageSchema, { ...message, conversationStateBlobId }),
  );
  step.record({
    case: 'turnOpened',
    value: { userMessageBlobId, userMessageId: message.messageId, atMs: BigInt(step.now), follows: true },
  });
  writeTurn(step);
}

type InjectionState = NonNullable<
  Parameters<Step['update']>[0] & { case: 'contextInjectionState' }
>['value']['state'];

function tellInjectionState(
  step: Step,
  injectionId: string,
  state: NonNullable<NonNullable<InjectionState>['state']>,
): void {
  step.update({ case: 'contextInjectionState', value: { injectionId, state: { state } } });
}

/** What the client's surroundings, not its user, have to say to the model. */
function systemContext({ producer, content }: agent.SystemContextInjection): string {
  const from = producer ? ` from=${JSON.stringify(producer)}` : '';
  return `<system_context${from}>\n${content}\n</system_context>`;
}
