import type { Web } from '@tandem/agent';
import type { ConfigOf } from '@tandem/platform';
import { webFetch } from './web-fetch/web-fetch.ts';
import { jsonSearch } from './web-search/json-search.ts';
import type { webConfigShape } from './worker-config.ts';

/** The web as turns reach it through this server. */
export function createWeb({ fetch, search }: ConfigOf<typeof webConfigShape>): Web {
  const { url, ...options } = search;
  return {
    fetch: fetch ? (address, signal) => webFetch(address, signal) : undefined,
    search: url ? jsonSearch({ url, ...options }) : undefined,
  };
}
