import type { Clock } from '@tandem/errors';

/** How long a token is used whose end is not known. */
const OPAQUE_LIFE_MS = 10 * 60_000;

/**
 * Remembers a token until half of its life is over, then fetches another. Callers at the same time share one fetch; a
 * failed one is tried again by the next caller.
 */
export function tokenSource(fetchToken: () => Promise<string>, clock: Clock): () => Promise<string> {
  let current: Promise<string> | undefined;
  let refreshAt = 0;

  return () => {
    if (current && clock.now() < refreshAt) return current;
    refreshAt = Infinity;
    const fetched = fetchToken().then(
      (token) => {
        refreshAt = clock.now() + lifeMs(token, clock.now()) / 2;
        return token;
      },
      (error) => {
        current = undefined;
        throw error;
      },
    );
    current = fetched;
    return fetched;
  };
}

/** The time until a JWT's `exp`. Its signature is the server's business. */
function lifeMs(token: string, now: number): number {
  try {
    const { exp } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return typeof exp === 'number' ? exp * 1000 - now : OPAQUE_LIFE_MS;
  } catch {
    return OPAQUE_LIFE_MS;
  }
}
