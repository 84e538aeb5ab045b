import type { ModelMessage, TextPart, UserMessage } from '../../model/message.ts';
import { restored } from '../restore/index.ts';
import type { TurnState } from '../state.ts';

/** Said to a model whose answer was cut. Part of the transcript, so that later requests extend this one. */
export const CONTINUE =
  '[Your last message was cut off while it was being sent. Go on exactly where it stops, without repeating or announcing anything.]';

/** The whole transcript, oldest first. Everything wanted must have been restored. */
export function transcript(state: TurnState): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const id of restoredIds(state)) {
    const content = restored(state.restore, 'message', id);
    if (!content) throw new Error('the transcript is read before it is restored');
    messages.push(content.message);
  }
  for (const { message } of state.appended) messages.push(message);
  return messages;
}

/** The blob ids of the whole transcript. */
export function transcriptIds(state: TurnState): Uint8Array[] {
  return [...restoredIds(state), ...state.appended.map(({ id }) => id)];
}

/** A user's message of one text. */
export function textMessage(text: string): UserMessage {
  return { role: 'user', content: [textPart(text)] };
}

export function textPart(text: string): TextPart {
  return { type: 'text', text };
}

/** The blob ids of the part that the client brought. */
export function restoredIds(state: TurnState): readonly Uint8Array[] {
  return state.request?.run.conversationState?.rootPromptMessagesJson ?? [];
}
