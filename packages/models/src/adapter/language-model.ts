import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Deployment } from '@tandem/platform';
import { readHeaders, readSecret, type SecretSource } from '../catalogue/secrets.ts';
import { familyOf } from './family.ts';
import { COMPATIBLE } from './prompt.ts';
import { reasoningContentOf, shapeReasoningContent } from './reasoning-content.ts';

/** Sent where a provider wants a key and none is configured, as with a server of one's own. */
const NO_KEY = 'none';

/**
 * Gives the AI SDK's model of a deployment. One is made anew only for another key or other headers than at the call before:
 * making one, and what it makes itself with its first answer, takes longer than a call.
 *
 * @returns throws TandemError `provider_auth` when the key is gone
 */
export function languageModelOf(
  deployment: Deployment,
  secrets: SecretSource,
  fetch: typeof globalThis.fetch,
): () => LanguageModelV4 {
  let made: { readonly access: string; readonly model: LanguageModelV4 } | undefined;
  return () => {
    const key = deployment.apiKey && readSecret(deployment.apiKey, secrets);
    const headers = readHeaders(deployment.headers, secrets);
    const access = JSON.stringify([key, headers]);
    if (made?.access !== access) made = { access, model: create(deployment, key, headers, fetch) };
    return made.model;
  };
}

function create(
  deployment: Deployment,
  key: string | undefined,
  headers: Record<string, string>,
  fetch: typeof globalThis.fetch,
): LanguageModelV4 {
  const { model: id = '', baseUrl: baseURL } = deployment;
  switch (familyOf(deployment)) {
    case 'anthropic':
      return createAnthropic({ baseURL, apiKey: key ?? NO_KEY, headers, fetch })(id);
    case 'openai-chat':
      return createOpenAI({ baseURL, apiKey: key ?? NO_KEY, headers, fetch }).chat(id);
    case 'openai-responses':
      return createOpenAI({ baseURL, apiKey: key ?? NO_KEY, headers, fetch }).responses(id);
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
      return provider.chatModel(id);
    }
  }
}
