import { toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { historyMessages } from '../../prompt/conversation-history.ts';
import { systemPrompt } from '../../prompt/system-prompt.ts';
import { actionMessages, showsMessages } from '../actions.ts';
import { requestContext } from '../context/index.ts';
import { restored } from '../restore/index.ts';
import type { Step } from '../step.ts';
import { answerOpenCalls } from '../tool-calls/index.ts';
import {
  appendMessage,
  CONTINUE,
  modelUserMessage,
  newContext,
  textMessage,
  transcript,
  transcriptIds,
  writeTurn,
} from '../transcript/index.ts';
import { userShellAction } from '../user-shell/index.ts';

/** Begins the turn: from here on the client's checkpoints hold what the user said. */
export function openTurn(step: Step): void {
  const { state } = step;
  if (userShellAction(state)) {
    // Written when the command is over.
    step.record({ case: 'turnOpened', value: { atMs: BigInt(step.now) } });
    answerOpenCalls(step, transcript(state));
    beginTranscript(step);
    return;
  }
  if (state.request?.action?.action.case === 'resumeAction') resumeTurn(step);
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
  const action = state.request?.action;
  const before = transcript(state);
  const messages = actionMessages(action);
  recordOpened(step, messages.at(-1));
  answerOpenCalls(step, before);
  beginTranscript(step);
  const history =
    action?.action.case === 'userMessageAction' ? action.action.value.conversationHistory : undefined;
  for (const message of history ? historyMessages(history) : []) appendMessage(step, message);
  // A history that brings the user's surroundings along says so.
  const sections = history?.replaceUserInfo ? [] : newContext(step.state, requestContext(state), step.now);
  messages.forEach((message, index) => {
    appendMessage(step, modelUserMessage(state, message, index === 0 ? sections : []));
    if (action && showsMessages(action)) {
      step.update({ case: 'userMessageAppended', value: { userMessage: message } });
    }
  });
}

/**
 * The user stopped the turn before all was there that it needs. What was said is kept all the same, unless calls are
 * open whose names nobody knows yet: a transcript with anything behind those would be refused for good.
 */
export function keepUnopened(step: Step): void {
  const { state } = step;
  const messages = actionMessages(state.request?.action);
  const unclear = state.restore.missing > 0;
  if (state.turn || messages.length === 0) return;
  if (!unclear) {
    openTurn(step);
    return;
  }
  if (state.request?.run.conversationState?.pendingToolCalls.length) return;
  recordOpened(step, messages.at(-1));
  beginTranscript(step);
  for (const message of messages) appendMessage(step, modelUserMessage(state, message, []));
  writeTurn(step);
}

function recordOpened(step: Step, shown: agent.UserMessage | undefined): void {
  const base = step.state.request?.run.conversationState;
  // Lets a client go back to before this message.
  const conversationStateBlobId = step.write(
    base ? toBinary(agent.ConversationStateStructureSchema, base) : new Uint8Array(),
  );
  const userMessageBlobId = shown
    ? step.write(toBinary(agent.UserMessageSchema, { ...shown, conversationStateBlobId }))
    : undefined;
  step.record({
    case: 'turnOpened',
    value: { userMessageBlobId, userMessageId: shown?.messageId, atMs: BigInt(step.now) },
  });
}

function beginTranscript(step: Step): void {
  const { state } = step;
  if (transcriptIds(state).length > 0) return;
  appendMessage(step, { role: 'system', content: systemPrompt(state.request?.run, requestContext(state)) });
}
