import { toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { systemPrompt } from '../prompt/system-prompt.ts';
import { appendMessage, writeTurn } from './commit.ts';
import { requestContext } from './context.ts';
import { CONTINUE } from './model-step.ts';
import { answerOpenCalls } from './open-calls.ts';
import { openingMessages } from './opening-messages.ts';
import { restored } from './restore-state.ts';
import type { Step } from './step.ts';
import { textMessage, transcript } from './transcript.ts';
import { newContext } from './transcript-context.ts';
import { modelUserMessage } from './user-message.ts';

/** Begins the turn: from here on the client's checkpoints hold what the user said. */
export function openTurn(step: Step): void {
  if (step.state.request?.action?.action.case === 'resumeAction') resumeTurn(step);
  else beginTurn(step);
  writeTurn(step);
}

/** Continues the last turn of the checkpoint. */
function resumeTurn(step: Step): void {
  const { state } = step;
  const id = state.request?.run.conversationState?.turns.at(-1);
  const last = id && restored(state.restore, 'turn', id)?.turn.turn;
  const turn = last?.case === 'agentConversationTurn' ? last.value : undefined;
  step.record({
    case: 'turnOpened',
    value: {
      userMessageBlobId: turn?.userMessage,
      stepBlobIds: turn?.steps,
      replacedTurns: turn ? 1 : 0,
      userMessageId: turn?.userMessageId,
      atMs: BigInt(step.now),
    },
  });
  const before = transcript(state);
  if (!answerOpenCalls(step, before) && before.at(-1)?.role === 'assistant') {
    appendMessage(step, textMessage(CONTINUE));
  }
}

function beginTurn(step: Step): void {
  const { state } = step;
  const before = transcript(state);
  const context = requestContext(state);
  const base = state.request?.run.conversationState;
  // Lets a client go back to before this message.
  const conversationStateBlobId = step.write(
    base ? toBinary(agent.ConversationStateStructureSchema, base) : new Uint8Array(),
  );
  const messages = openingMessages(state);
  const shown = messages.at(-1);
  const userMessageBlobId = shown
    ? step.write(toBinary(agent.UserMessageSchema, { ...shown, conversationStateBlobId }))
    : undefined;
  step.record({
    case: 'turnOpened',
    value: { userMessageBlobId, userMessageId: shown?.messageId, atMs: BigInt(step.now) },
  });
  answerOpenCalls(step, before);
  if (before.length === 0) {
    appendMessage(step, { role: 'system', content: systemPrompt(state.request?.run, context) });
  }
  const sections = newContext(before, context, step.now);
  messages.forEach((message, index) => {
    appendMessage(step, modelUserMessage(state, message, index === 0 ? sections : []));
  });
}
