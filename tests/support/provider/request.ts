import type { IncomingHttpHeaders } from 'node:http';

/** One request as the provider got it. */
export interface ProviderRequest {
  readonly api: 'openai' | 'responses' | 'anthropic' | 'google' | 'bedrock';
  readonly model: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, byte for byte. */
  readonly raw: string;
  /** The body, parsed. */
  readonly body: ProviderBody;
  /** The text of the newest user message, tool results left out. */
  readonly lastUserText: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** When the response ended or the socket closed. */
  readonly endedAt: number | undefined;
  /** Whether the other side closed the socket before the response was whole. */
  readonly aborted: boolean;
  /** Resolves when the response has ended or the socket has closed. */
  readonly closed: Promise<void>;
}

export interface ProviderBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  /** Empty for the Responses API, whose `input` it has, and for Gemini, whose `contents` it has. */
  readonly messages: readonly ProviderMessage[];
  readonly input?: readonly ProviderMessage[];
  readonly contents?: readonly ProviderMessage[];
  readonly tools?: readonly Record<string, unknown>[];
  readonly [field: string]: unknown;
}

export interface ProviderMessage {
  readonly role?: string;
  readonly content?: string | null | readonly ContentPart[];
  readonly parts?: readonly ContentPart[];
  readonly [field: string]: unknown;
}

/** Gemini and Bedrock name no type: a part is what it has. */
interface ContentPart {
  readonly type?: string;
  readonly text?: string;
}

/** The messages of a request, whatever its API calls them. */
export function messagesOf({ input, contents, messages }: ProviderBody): readonly ProviderMessage[] {
  return input ?? contents ?? messages;
}

/** The text of the newest user message that holds any. */
export function lastUserText(messages: readonly ProviderMessage[]): string {
  const texts = messages
    .filter(({ role }) => role === 'user')
    .map(({ content, parts }) => textOf(content ?? parts));
  return texts.findLast((text) => text.trim() !== '') ?? '';
}

function textOf(content: ProviderMessage['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map(({ type = 'text', text }) => (type === 'text' || type === 'input_text' ? (text ?? '') : ''))
    .join('');
}
