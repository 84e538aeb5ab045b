import type { Job, JobResult, Web } from '@tandem/agent';
import type { ConfigOf } from '@tandem/platform';
import { webFetch } from '../web-fetch/web-fetch.ts';
import { jsonSearch } from '../web-search/json-search.ts';
import type { webConfigShape } from '../worker-config.ts';

/** The web as turns reach it through this server. */
export function createWeb({ fetch, search }: ConfigOf<typeof webConfigShape>): Web {
  const { url, ...options } = search;
  return {
    fetch: fetch ? (address, signal) => webFetch(address, signal) : undefined,
    search: url ? jsonSearch({ url, ...options }) : undefined,
  };
}

/** Does a job of a tool call. What goes wrong is its result; it never throws. */
export async function runJob(web: Web, job: Job, signal: AbortSignal): Promise<JobResult> {
  try {
    switch (job.type) {
      case 'web_fetch':
        if (!web.fetch) return { type: 'failed', reason: 'This server does not reach the web.' };
        return { type: 'page', page: await web.fetch(job.url, signal) };
      case 'web_search': {
        if (!web.search) return { type: 'failed', reason: 'No search provider is configured.' };
        return { type: 'hits', hits: await web.search(job.query, signal) };
      }
    }
  } catch (error) {
    return { type: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}
