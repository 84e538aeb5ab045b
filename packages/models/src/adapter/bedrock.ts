import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { withCredentials } from './credentials.ts';

export interface BedrockAccess {
  readonly baseURL: string | undefined;
  readonly region: string | undefined;
  readonly apiKey: string | undefined;
  readonly accessKey:
    | { readonly id: string; readonly secret: string; readonly sessionToken: string | undefined }
    | undefined;
  readonly headers: Record<string, string>;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * A model of Amazon Bedrock, with the key or access key that is given, else with the credentials of the environment: its
 * variables, a shared file, the role of the pod or of the machine.
 */
export function bedrockModel(
  id: string,
  { baseURL, region, apiKey, accessKey, headers, fetch }: BedrockAccess,
): LanguageModelV4 {
  // Finds credentials as AWS's own clients do, keeps them, and renews them in time.
  const chain = defaultProvider();
  const fromChain = apiKey === undefined && accessKey === undefined;
  const provider = createAmazonBedrock({
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(region === undefined ? {} : { region }),
    // An empty one keeps the package from taking the environment's instead of what is configured.
    apiKey: apiKey ?? '',
    ...(accessKey && {
      credentialProvider: async () => ({
        accessKeyId: accessKey.id,
        secretAccessKey: accessKey.secret,
        ...(accessKey.sessionToken === undefined ? {} : { sessionToken: accessKey.sessionToken }),
      }),
    }),
    ...(fromChain && { credentialProvider: chain as () => Promise<AwsCredentials> }),
    headers,
    fetch,
  });
  const model: LanguageModelV4 = provider(id);
  if (!fromChain) return model;
  return withCredentials(model, chain, 'no AWS credentials in the environment');
}

interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}
