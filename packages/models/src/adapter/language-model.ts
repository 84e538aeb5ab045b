import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Deployment } from '@tandem/platform';
import { readHeaders, readSecret, type SecretSource } from '../catalogue/secrets.ts';
import { type Family, familyOf } from './family.ts';
import { COMPATIBLE } from './prompt.ts';
import { reasoningContentOf, shapeReasoningContent } from './reasoning-content.ts';

/** Sent where a provider wants a key and none is configured, as with a server of one's own. */
const NO_KEY = 'none';

export interface ProviderModel {
  readonly family: Family;
  readonly model: LanguageModelV4;
}

/**
 * The AI SDK's model of a deployment, made anew for each call, so that its key is the current one.
 *
 * @throws TandemError `provider_auth` when the key is gone.
 */
export function createLanguageModel(
  deployment: Deployment,
  secrets: SecretSource,
  fetch: typeof globalThis.fetch,
): ProviderModel {
  const family = familyOf(deployment);
  const key = deployment.apiKey && readSecret(deployment.apiKey, secrets);
  const headers = readHeaders(deployment.headers, secrets);
  const { model: id = '', baseUrl: baseURL } = deployment;
  switch (family) {
    case 'anthropic':
      return { family, model: createAnthropic({ baseURL, apiKey: key ?? NO_KEY, headers, fetch })(id) };
    case 'openai-chat':
      return { family, model: createOpenAI({ baseURL, apiKey: key ?? NO_KEY, headers, fetch }).chat(id) };
    case 'openai-responses':
      return {
        family,
        model: createOpenAI({ baseURL, apiKey: key ?? NO_KEY, headers, fetch }).responses(id),
      };
    case 'openai-compatible': {
      const mode = reasoningContentOf(deployment);
      const provider = createOpenAICompatible({
        name: COMPATIBLE,
        baseURL: baseURL ?? '',
        ...(key === undefined ? {} : { apiKey: key }),
        headers,
        fetch,
        includeUsage: true,
        transformRequestBody: (body) => shapeReasoningContent(body, mode),
      });
      return { family, model: provider.chatModel(id) };
    }
  }
}
