import type { ModelMessage, ProviderOptions } from './message.ts';

/** A tool as the model sees it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; its root is an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ModelCall {
  /** Id in the catalogue, or one of its aliases. */
  readonly model: string;
  /** The transcript, oldest first; each call's messages extend the ones of the call before. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  /** Parameters a client chose for the model, e.g. a thinking level; unknown ones are ignored. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Stable over a conversation: lets a provider find its prompt cache. */
  readonly conversationId: string;
}

export interface Usage {
  /** All prompt tokens, those read from and written to a cache not included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number;
}

/** `interrupted`: the connection ended without the provider saying that the answer was complete. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'interrupted' | 'error';

/**
 * What a model call yields. `finish` is the last event of every call that does not throw; a tool call is provisional
 * until then.
 */
export type ModelEvent =
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'reasoning_end'; readonly providerOptions?: ProviderOptions }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_input_start'; readonly id: string; readonly name: string }
  | { readonly type: 'tool_input_delta'; readonly id: string; readonly delta: string }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly input: string;
      readonly providerOptions?: ProviderOptions;
    }
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      readonly usage: Usage;
      readonly deployment: string;
    };

/** What is known of a model before it is called. */
export interface ModelInfo {
  readonly id: string;
  readonly contextWindow: number;
  readonly supportsImages: boolean;
}

/** Models as the agent sees them. */
export interface Models {
  /** The model of that id or alias, or undefined. The empty id names the default model. */
  find(model: string): ModelInfo | undefined;
  /**
   * Streams one call. Aborting the signal ends the provider's socket.
   * @throws TandemError (a reason of the provider kind) when it fails before the first event, after the retries and
   * fallbacks that its configuration allows; a failure after the first event is a `finish` with `interrupted` or `error`.
   */
  call(call: ModelCall, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
