import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Deployment } from '@tandem/platform';
import { readHeaders, readSecret, type SecretSource } from '../catalogue/secrets.ts';
import { type BedrockAccess, bedrockModel } from './bedrock.ts';
import { familyOf } from './family.ts';
import { COMPATIBLE } from './prompt.ts';
import { reasoningContentOf, shapeReasoningContent } from './reasoning-content.ts';
import { type VertexAccess, vertexModel } from './vertex.ts';

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
    const accessKey = deployment.accessKey && readAccessKey(deployment.accessKey, secrets);
    const credentials = deployment.credentials && readSecret(deployment.credentials, secrets);
    const headers = readHeaders(deployment.headers, secrets);
    const access = JSON.stringify([key, accessKey, credentials, headers]);
    if (made?.access !== access)
      made = { access, model: create(deployment, { key, accessKey, credentials, headers, fetch }) };
    return made.model;
  };
}

function readAccessKey(
  { id, secret, sessionToken }: NonNullable<Deployment['accessKey']>,
  secrets: SecretSource,
): NonNullable<Access['accessKey']> {
  return {
    id: readSecret(id, secrets),
    secret: readSecret(secret, secrets),
    sessionToken: sessionToken && readSecret(sessionToken, secrets),
  };
}

type Access = Pick<BedrockAccess & VertexAccess, 'accessKey' | 'credentials' | 'headers' | 'fetch'> & {
  readonly key: string | undefined;
};

function create(deployment: Deployment, access: Access): LanguageModelV4 {
  const { key, accessKey, credentials, headers, fetch } = access;
  const { model: id = '', baseUrl: baseURL } = deployment;
  switch (familyOf(deployment)) {
    case 'azure-responses':
      return azureOf(deployment, access).responses(id);
    case 'google':
      return createGoogle({ ...(baseURL && { baseURL }), apiKey: key ?? NO_KEY, headers, fetch })(id);
    case 'google-vertex': {
      const { project, location } = deployment;
      return vertexModel(id, { baseURL, project, location, credentials, headers, fetch });
    }
    case 'bedrock':
      return bedrockModel(id, {
        baseURL,
        region: deployment.region,
        apiKey: key,
        accessKey,
        headers,
        fetch,
      });
    case 'anthropic':
      return createAnthropic({ baseURL, apiKey: key ?? NO_KEY, headers, fetch })(id);
    case 'openai-chat':
      if (deployment.provider === 'azure') return azureOf(deployment, access).chat(id);
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

function azureOf({ baseUrl, resource, apiVersion }: Deployment, { key, headers, fetch }: Access) {
  return createAzure({
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...(resource === undefined ? {} : { resourceName: resource }),
    ...(apiVersion === undefined ? {} : { apiVersion, useDeploymentBasedUrls: true }),
    apiKey: key ?? NO_KEY,
    headers,
    fetch,
  });
}
