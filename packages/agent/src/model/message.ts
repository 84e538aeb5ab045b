/** What a provider wants to see again with a part of the transcript, by provider name. */
export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * One message of the transcript, stored as JSON in a blob and sent to providers unchanged for as long as the
 * conversation lives. Property order is part of the stored form: build messages with the same literal shapes.
 */
export type ModelMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly (TextPart | ImagePart)[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly (TextPart | ReasoningPart | ToolCallPart)[];
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly content: readonly ToolResultPart[];
}

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

export interface ImagePart {
  readonly type: 'image';
  /** Base64. */
  readonly image: string;
  readonly mediaType: string;
}

export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly providerOptions?: ProviderOptions;
}

export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  /** The parsed arguments. */
  readonly input: unknown;
  readonly providerOptions?: ProviderOptions;
}

export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output:
    | { readonly type: 'text'; readonly value: string }
    | { readonly type: 'error-text'; readonly value: string }
    | {
        readonly type: 'content';
        readonly value: readonly (
          | TextPart
          | { readonly type: 'media'; readonly data: string; readonly mediaType: string }
        )[];
      };
}
