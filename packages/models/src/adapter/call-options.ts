import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { ModelCall, ToolDefinition } from '@tandem/agent';
import type { CatalogueModel, Deployment } from '@tandem/platform';
import type { Family } from './family.ts';
import { reasoningEffort } from './parameters.ts';
import { toPrompt } from './prompt.ts';

const CACHE_MARK = {
  anthropic: { cacheControl: { type: 'ephemeral' } },
  bedrock: { cachePoint: { type: 'default' } },
} as const;

/** The models of Bedrock that take marks; others refuse a request with one. */
const BEDROCK_CACHES = /anthropic\.claude-(?!3-|v2|instant)|amazon\.nova/;
/** Gemini's models that tell what they think when they are asked to; others refuse to be asked. */
const GEMINI_THINKS = /gemini-(2\.5|[3-9])(?!.*image)/;
const TELL_THOUGHTS = { thinkingConfig: { includeThoughts: true } };

/** Marks on what the user's side said: the newest, to be found by the next call, and the one before, found by this. */
const NEWEST = 2;

/** What the AI SDK's model is asked for a call. The same call always makes the same request. */
export function toCallOptions(
  call: ModelCall,
  model: CatalogueModel,
  deployment: Deployment,
  family: Family,
): LanguageModelV4CallOptions {
  const prompt = toPrompt(call.messages, { family, supportsImages: model.supportsImages });
  const reasoning = reasoningEffort(model, call.parameters);
  return {
    prompt: takesCacheMarks(family, deployment) ? markCachePoints(prompt) : prompt,
    ...(call.tools.length > 0 ? { tools: call.tools.map(toTool) } : {}),
    ...(model.maxOutputTokens === undefined ? {} : { maxOutputTokens: model.maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
    providerOptions: optionsOf(family, call, deployment, reasoning !== undefined),
    includeRawChunks: true,
  };
}

function toTool({ name, description, inputSchema }: ToolDefinition) {
  return { type: 'function' as const, name, description, inputSchema };
}

function optionsOf(
  family: Family,
  { conversationId }: ModelCall,
  { baseUrl, provider, apiVersion, model = '' }: Deployment,
  reasons: boolean,
): SharedV4ProviderOptions {
  switch (family) {
    case 'openai-responses':
      // Nothing is kept at the provider: reasoning comes back encrypted and is sent again from the transcript.
      return { openai: { store: false, promptCacheKey: conversationId } };
    case 'azure-responses': {
      // A deployment's name does not tell that its model reasons.
      const options = { store: false, promptCacheKey: conversationId };
      return { azure: { ...options, ...(reasons ? { forceReasoning: true } : {}) } };
    }
    case 'openai-chat':
      // The dated versions of Azure refuse fields that they do not know.
      if (provider === 'azure' && apiVersion !== undefined) return {};
      return baseUrl === undefined ? { openai: { promptCacheKey: conversationId } } : {};
    case 'anthropic':
      // Others who speak this form may refuse the field that asks for arguments as they are written.
      return baseUrl === undefined ? {} : { anthropic: { toolStreaming: false } };
    case 'google':
      return GEMINI_THINKS.test(model) ? { google: TELL_THOUGHTS } : {};
    case 'google-vertex':
      return GEMINI_THINKS.test(model) ? { googleVertex: TELL_THOUGHTS } : {};
    case 'openai-compatible':
    case 'bedrock':
      return {};
  }
}

function takesCacheMarks(family: Family, { model = '' }: Deployment): boolean {
  return family === 'anthropic' || (family === 'bedrock' && BEDROCK_CACHES.test(model));
}

/**
 * Marks where Anthropic and Bedrock cache the prompt: after the system prompt (tools included, which precede it) and after the
 * newest messages of the user's side. At most four marks are allowed; this sets three.
 */
export function markCachePoints(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const firstOther = prompt.findIndex(({ role }) => role !== 'system');
  const systemEnd = (firstOther === -1 ? prompt.length : firstOther) - 1;
  const said = prompt.flatMap(({ role }, index) => (role === 'user' || role === 'tool' ? [index] : []));
  const marked = new Set([systemEnd, ...said.slice(-NEWEST)]);
  return prompt.map((message, index) =>
    marked.has(index) ? { ...message, providerOptions: CACHE_MARK } : message,
  );
}
