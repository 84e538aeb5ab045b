import { hashKey } from '../tokens/index.ts';
import type { ConfiguredUser } from './users-file.ts';

/** The id of the user that `TANDEM_API_KEY` stands for. */
export const SINGLE_USER_ID = 'default';

/**
 * The one user of a server that is configured with a key alone (`TANDEM_API_KEY`). The key's id follows from the key, so
 * that another key ends what tokens of the former may do.
 */
export function singleUser(apiKey: string): ConfiguredUser {
  const sha256 = hashKey(apiKey);
  return {
    id: SINGLE_USER_ID,
    groups: [],
    keys: [{ id: `env-${sha256.slice(0, 12)}`, sha256, disabled: false }],
  };
}
