import { Agent, fetch as undiciFetch } from 'undici';

export interface ProviderFetch {
  readonly fetch: typeof globalThis.fetch;
  /** Closes the connections that are left. */
  close(): Promise<void>;
}

/**
 * A fetch without time limits of its own but the connection's: how long an answer may take is decided per deployment.
 *
 * @param connectMs how long opening a socket may take.
 */
export function createFetch(connectMs: number): ProviderFetch {
  const agent = new Agent({ connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 });
  return {
    fetch: ((input: string, init: RequestInit) =>
      undiciFetch(input, { ...(init as object), dispatcher: agent })) as unknown as typeof globalThis.fetch,
    close: () => agent.destroy(),
  };
}
