import type { ProviderRequest } from './request.ts';

/** One thing that the provider does while it streams an answer. All but `wait` can be sent as JSON. */
export type Step =
  | { readonly type: 'text'; readonly text: string }
  /** `field` is the name that OpenAI-compatible providers give it; `reasoning_content` unless given. */
  | { readonly type: 'reasoning'; readonly text: string; readonly field?: string }
  /** Anthropic only: signs the open thinking block. */
  | { readonly type: 'signature'; readonly signature: string }
  /** Anthropic only: a block of redacted thinking. */
  | { readonly type: 'redacted_thinking'; readonly data: string }
  /** `arguments` in fragments as they go out; none at all for an empty list. `index` overrides OpenAI's. */
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly arguments: string | readonly string[];
      readonly index?: number;
    }
  /** Tokens that the provider reports; `input` leaves out those of the cache. Estimated unless given. */
  | {
      readonly type: 'usage';
      readonly input: number;
      readonly output: number;
      readonly cacheRead?: number;
      readonly cacheWrite?: number;
      readonly reasoning?: number;
    }
  /** Ends the answer as the provider does, with its own word for the reason (null: none, but `[DONE]` all the same). */
  | { readonly type: 'finish'; readonly reason?: string | null }
  /** A clean end of the response without any word of being complete. */
  | { readonly type: 'end' }
  /** Destroys the socket. */
  | { readonly type: 'cut' }
  /** Stays here until `release(name)`. */
  | { readonly type: 'hold'; readonly name: string }
  | { readonly type: 'wait'; readonly for: Promise<unknown> }
  /** Paces an answer, for load and demonstrations; tests that wait for something use `hold`. */
  | { readonly type: 'delay'; readonly ms: number }
  /** A keep-alive. */
  | { readonly type: 'ping' }
  /** An error within the stream. */
  | { readonly type: 'error'; readonly error: Readonly<Record<string, unknown>> }
  /** One event with this JSON as its data. */
  | { readonly type: 'event'; readonly data: unknown }
  /** These bytes as they are. */
  | { readonly type: 'raw'; readonly text: string };

/** What the provider answers to one request: a stream, or a plain response with a status. */
export type Reply =
  | { readonly steps: readonly Step[] }
  | {
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
      /** Stays here until `release(hold)` before it answers at all. */
      readonly hold?: string;
    };

/** Replies in turn, one a request, and then the default; one reply or a function for every request. */
export type Script = Reply | readonly Reply[] | ((request: ProviderRequest) => Reply | undefined);

/** What is answered when nothing is scripted: the last user text, word by word. */
export function echo(request: ProviderRequest): Reply {
  const words = request.lastUserText.match(/\S+\s*/g) ?? ['(nothing said)'];
  return { steps: words.map((text) => ({ type: 'text', text })) };
}

/** Each provider's refusal of a prompt that is too long. */
export function contextTooLong(
  api: 'openai' | 'azure' | 'anthropic' | 'google' | 'google-vertex' | 'bedrock',
): Reply {
  const message = 'prompt is too long: 210000 tokens > 200000 maximum';
  if (api === 'anthropic') {
    return { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } };
  }
  if (api === 'google' || api === 'google-vertex') {
    const tooMany = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
    return { status: 400, body: { error: { code: 400, message: tooMany, status: 'INVALID_ARGUMENT' } } };
  }
  if (api === 'bedrock') {
    const headers = { 'x-amzn-errortype': 'ValidationException' };
    return { status: 400, headers, body: { message: 'Input is too long for requested model.' } };
  }
  const error = {
    message: "This model's maximum context length is 8192 tokens. Please reduce the length of the messages.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded',
  };
  return { status: 400, body: { error } };
}
