import { createGoogleVertex } from '@ai-sdk/google-vertex';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { TandemError } from '@tandem/errors';
import { type AuthClient, GoogleAuth } from 'google-auth-library';
import { withCredentials } from './credentials.ts';

export interface VertexAccess {
  readonly baseURL: string | undefined;
  readonly project: string | undefined;
  readonly location: string | undefined;
  /** Credentials as Google's tools write them, in JSON. */
  readonly credentials: string | undefined;
  readonly headers: Record<string, string>;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * A model of Vertex AI, with the credentials that are given, else with those of the environment: the file of
 * `GOOGLE_APPLICATION_CREDENTIALS`, the service account of the pod or of the machine.
 *
 * @throws TandemError `provider_auth` when the credentials are not JSON
 */
export function vertexModel(
  id: string,
  { baseURL, project, location, credentials, headers, fetch }: VertexAccess,
): LanguageModelV4 {
  const auth = new GoogleAuth({
    scopes: ['https://www.googleapis.com/auth/cloud-platform'],
    ...(project === undefined ? {} : { projectId: project }),
    ...(credentials === undefined ? {} : { credentials: parse(credentials) }),
    clientOptions: { transporterOptions: { fetchImplementation: fetch } },
  });
  const getAccessToken = async () => (await auth.getClient()).getAccessToken();
  const provider = createGoogleVertex({
    ...(baseURL === undefined ? {} : { baseURL }),
    ...(project === undefined ? {} : { project }),
    ...(location === undefined ? {} : { location }),
    // An empty one keeps the package from taking the environment's.
    apiKey: '',
    // All that the package asks of a client; so there is one token for it and for us.
    googleAuthOptions: { authClient: { getAccessToken } as unknown as AuthClient },
    headers,
    fetch,
  });
  return withCredentials(provider(id), getAccessToken, 'no Google credentials that are taken');
}

function parse(credentials: string): Record<string, unknown> {
  try {
    return JSON.parse(credentials);
  } catch {
    throw new TandemError('provider_auth', { message: 'the credentials are not JSON' });
  }
}
