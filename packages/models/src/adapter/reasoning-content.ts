import type { Deployment } from '@tandem/platform';

/** Providers that refuse an assistant message with tool calls but without its `reasoning_content`. */
const DEMANDING = /deepseek|moonshot|kimi/i;

type Body = Record<string, unknown>;
interface ChatMessage {
  readonly role: string;
  readonly tool_calls?: readonly unknown[];
  readonly reasoning_content?: string;
}

/** How this deployment wants reasoning back, by configuration or else by what is known of its provider. */
export function reasoningContentOf({ reasoningContent, baseUrl = '', model = '' }: Deployment) {
  return reasoningContent ?? (DEMANDING.test(`${baseUrl} ${model}`) ? 'required' : 'replay');
}

/**
 * Brings the messages of a chat request into the form that the deployment wants: an empty `reasoning_content` where a
 * demanding provider misses one, none at all where it is refused.
 */
export function shapeReasoningContent(body: Body, mode: ReturnType<typeof reasoningContentOf>): Body {
  if (mode === 'replay' || !Array.isArray(body.messages)) return body;
  const messages = (body.messages as ChatMessage[]).map((message) => {
    if (message.role !== 'assistant') return message;
    const { reasoning_content, ...rest } = message;
    if (mode === 'omit') return rest;
    if (reasoning_content !== undefined || !message.tool_calls?.length) return message;
    return { ...message, reasoning_content: '' };
  });
  return { ...body, messages };
}
