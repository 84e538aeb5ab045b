import { createClient } from '../client.ts';
import { ClientError } from '../errors/client-error.ts';
import type { ChatOptions } from './chat-options.ts';
import { loadConversation, newConversation, saveConversation } from './conversation-file.ts';
import { type Screen, TurnView } from './show.ts';

/** The turn did not end well; the message is for a person. */
export class ChatFailed extends Error {
  override readonly name = 'ChatFailed';
}

/**
 * Holds one turn and shows it as it comes.
 * @param notice gets one line a retry
 * @throws ChatFailed, UsageError
 */
export async function chat(
  options: ChatOptions,
  screen: Screen,
  notice: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { text, url, apiKey, conversationFile: file } = options;
  const conversation = file === undefined ? newConversation() : loadConversation(file);
  const client = createClient({ baseUrl: url, apiKey });
  try {
    const modelId = options.modelId ?? (await firstModel(client, signal));
    const view = new TurnView(screen);
    const turn = await client.runTurn({
      ...conversation,
      text,
      modelId,
      signal,
      keepFrames: false,
      onFrame: (frame) => view.show(frame),
      onRetry: (fault, delayMs) =>
        notice(`${describe(fault)} Trying again in ${Math.round(delayMs / 1000)} s.`),
    });
    view.end();
    // Also after a failure: what a checkpoint holds is part of the conversation.
    if (file !== undefined) saveConversation(file, { ...conversation, state: turn.checkpoint });
    if (turn.status !== 'finished') throw new ChatFailed(describe(turn.error), { cause: turn.error });
  } finally {
    client.close();
  }
}

async function firstModel(client: ReturnType<typeof createClient>, signal: AbortSignal): Promise<string> {
  const [model] = await client.models(signal).catch((cause) => {
    throw new ChatFailed(describe(cause), { cause });
  });
  if (!model) throw new ChatFailed('The server lists no models.');
  return model.id;
}

function describe(error: unknown): string {
  if (error instanceof ClientError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
