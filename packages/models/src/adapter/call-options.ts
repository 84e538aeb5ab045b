import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelCall, ToolDefinition } from '@tandem/agent';
import type { CatalogueModel, Deployment } from '@tandem/platform';
import { markCachePoints } from './cache-marks.ts';
import type { Family } from './family.ts';
import { reasoningEffort } from './parameters.ts';
import { toPrompt } from './prompt.ts';

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
    prompt: family === 'anthropic' ? markCachePoints(prompt) : prompt,
    ...(call.tools.length > 0 ? { tools: call.tools.map(toTool) } : {}),
    ...(model.maxOutputTokens === undefined ? {} : { maxOutputTokens: model.maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
    providerOptions: optionsOf(family, call, deployment),
    includeRawChunks: true,
  };
}

function toTool({ name, description, inputSchema }: ToolDefinition) {
  return { type: 'function' as const, name, description, inputSchema };
}

function optionsOf(
  family: Family,
  { conversationId }: ModelCall,
  { baseUrl }: Deployment,
): SharedV4ProviderOptions {
  switch (family) {
    case 'openai-responses':
      // Nothing is kept at the provider: reasoning comes back encrypted and is sent again from the transcript.
      return { openai: { store: false, promptCacheKey: conversationId } };
    case 'openai-chat':
      return baseUrl === undefined ? { openai: { promptCacheKey: conversationId } } : {};
    case 'anthropic':
      // Others who speak this form may refuse the field that asks for arguments as they are written.
      return baseUrl === undefined ? {} : { anthropic: { toolStreaming: false } };
    case 'openai-compatible':
      return {};
  }
}
