import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type {
  AssistantMessage,
  ImagePart,
  ModelMessage,
  ProviderOptions,
  TextPart,
  ToolMessage,
  ToolResultPart,
} from '@tandem/agent';
import type { Family } from './family.ts';

type PromptMessage = LanguageModelV4Prompt[number];
type UserContent = Extract<PromptMessage, { role: 'user' }>['content'];
type AssistantContent = Extract<PromptMessage, { role: 'assistant' }>['content'];
type ToolOutput = Extract<
  Extract<PromptMessage, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output'];

export interface PromptOptions {
  readonly family: Family;
  readonly supportsImages: boolean;
}

/** The name under which OpenAI-compatible providers get back what they attached to a part. */
export const COMPATIBLE = 'compatible';

/** What a part must carry, by whose name, to be worth sending back as reasoning. */
const REASONING_OWNER = {
  anthropic: 'anthropic',
  'openai-responses': 'openai',
  'azure-responses': 'azure',
  google: 'google',
  'google-vertex': 'googleVertex',
  bedrock: 'bedrock',
} as const;

const NO_IMAGES = '[An image was left out: this model cannot see images.]';

/**
 * The transcript as the AI SDK's providers take it. Each message is mapped by itself and always to the same, so the
 * prompt of a longer transcript begins with the prompt of a shorter one.
 */
export function toPrompt(messages: readonly ModelMessage[], options: PromptOptions): LanguageModelV4Prompt {
  return messages.flatMap((message) => toPromptMessages(message, options));
}

function toPromptMessages(message: ModelMessage, options: PromptOptions): PromptMessage[] {
  switch (message.role) {
    case 'system':
      return message.content === '' ? [] : [{ role: 'system', content: message.content }];
    case 'user':
      return [{ role: 'user', content: userContent(message.content, options) }];
    case 'assistant': {
      const content = assistantContent(message, options.family);
      return content.length > 0 ? [{ role: 'assistant', content }] : [];
    }
    case 'tool':
      return toolMessages(message, options);
  }
}

function userContent(parts: readonly (TextPart | ImagePart)[], options: PromptOptions): UserContent {
  const content = parts.flatMap((part): UserContent => {
    if (part.type === 'text') return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }];
    return [imagePart(part.image, part.mediaType, options)];
  });
  // Providers refuse messages and text parts without a word in them.
  return content.length > 0 ? content : [{ type: 'text', text: '(no text)' }];
}

function imagePart(data: string, mediaType: string, { supportsImages }: PromptOptions): UserContent[number] {
  if (!supportsImages) return { type: 'text', text: NO_IMAGES };
  return { type: 'file', mediaType, data: { type: 'data', data } };
}

function assistantContent(message: AssistantMessage, family: Family): AssistantContent {
  return message.content.map((part) => assistantPart(part, family)).filter((part) => part !== undefined);
}

function assistantPart(
  part: AssistantMessage['content'][number],
  family: Family,
): AssistantContent[number] | undefined {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? undefined : { type: 'text', text: part.text };
    case 'reasoning':
      if (!acceptsReasoning(family, part.providerOptions)) return undefined;
      return { type: 'reasoning', text: part.text, ...withOptions(part.providerOptions) };
    case 'tool-call': {
      const { toolCallId, toolName } = part;
      const input = takesObjectsOnly(family) ? asObject(part.input) : part.input;
      const options = part.providerOptions;
      // A compatible server may refuse the signatures of Gemini, which its package would pass on.
      const own = family === 'openai-compatible' ? only(COMPATIBLE, options) : options;
      return { type: 'tool-call', toolCallId, toolName, input, ...withOptions(own) };
    }
  }
}

/** Signed or encrypted reasoning goes back to its own kind only; plain reasoning to those who stream it plainly. */
function acceptsReasoning(family: Family, options: ProviderOptions | undefined): boolean {
  if (family === 'openai-chat') return false;
  if (family === 'openai-compatible') return options === undefined || COMPATIBLE in options;
  return options?.[REASONING_OWNER[family]] !== undefined;
}

function takesObjectsOnly(family: Family): boolean {
  return ['anthropic', 'google', 'google-vertex', 'bedrock'].includes(family);
}

/** Some take objects only, and what a model wrote as arguments may be anything. */
function asObject(input: unknown): unknown {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : { input };
}

function only(name: string, options: ProviderOptions | undefined): ProviderOptions | undefined {
  const own = options?.[name];
  return own === undefined ? undefined : { [name]: own };
}

function withOptions(options: ProviderOptions | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return options === undefined ? {} : { providerOptions: options as SharedV4ProviderOptions };
}

function toolMessages(message: ToolMessage, options: PromptOptions): PromptMessage[] {
  const results = message.content.map(({ toolCallId, toolName, output }) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: toolOutput(output, options),
  }));
  const messages: PromptMessage[] = [{ role: 'tool', content: results }];
  if (takesImagesFromTools(options.family) || !options.supportsImages) return messages;
  // Chat completions have no images in tool results: they follow as a message of the user.
  const images = message.content.flatMap(({ output }) =>
    output.type === 'content' ? mediaOf(output.value) : [],
  );
  if (images.length === 0) return messages;
  const content = images.map(({ data, mediaType }) => imagePart(data, mediaType, options));
  return [...messages, { role: 'user', content }];
}

function toolOutput(output: ToolResultPart['output'], options: PromptOptions): ToolOutput {
  if (output.type !== 'content') return { type: output.type, value: output.value };
  if (takesImagesFromTools(options.family) && options.supportsImages) {
    const value = output.value.map((part) =>
      part.type === 'text'
        ? { type: 'text' as const, text: part.text }
        : {
            type: 'file' as const,
            mediaType: part.mediaType,
            data: { type: 'data' as const, data: part.data },
          },
    );
    return { type: 'content', value };
  }
  const elsewhere = options.supportsImages ? '[The image follows.]' : NO_IMAGES;
  const value = output.value.map((part) => (part.type === 'text' ? part.text : elsewhere)).join('\n');
  return { type: 'text', value };
}

function takesImagesFromTools(family: Family): boolean {
  return family !== 'openai-chat' && family !== 'openai-compatible';
}

type ToolContent = Extract<ToolResultPart['output'], { type: 'content' }>['value'];

function mediaOf(value: ToolContent) {
  return value.filter((part) => part.type === 'media');
}
