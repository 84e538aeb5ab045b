import type { SearchHit } from '@tandem/agent';
import { z } from 'zod';

export interface JsonSearchOptions {
  /** The provider's address; `{query}` in it stands for what is searched for. */
  readonly url: string;
  readonly key: string | undefined;
  /** The header that carries the key; in `authorization` as a bearer token, in others as it is. */
  readonly keyHeader: string;
  /** Where the answer has its list of results, names separated by dots. */
  readonly results: string;
}

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 2 * 1024 * 1024;

/** Names under which providers give a title, an address and an excerpt; the first that is there counts. */
const TITLES = ['title', 'name'];
const ADDRESSES = ['url', 'link', 'href'];
const EXCERPTS = ['content', 'snippet', 'description', 'excerpt', 'text', 'body'];

/** Searches by a provider that answers with JSON over HTTP. Where it is, the administrator says; the model only gives the query. */
export function jsonSearch(options: JsonSearchOptions) {
  return async (query: string, signal: AbortSignal): Promise<SearchHit[]> => {
    const url = options.url.replaceAll('{query}', encodeURIComponent(query));
    const headers: Record<string, string> = { accept: 'application/json' };
    if (options.key) {
      const bearer = options.keyHeader.toLowerCase() === 'authorization';
      headers[options.keyHeader] = bearer ? `Bearer ${options.key}` : options.key;
    }
    const either = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    return hitsOf(await ask(url, headers, either), options.results);
  };
}

/** Faults name neither address nor key: they are for the model. */
async function ask(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<unknown> {
  let text: string;
  try {
    const response = await fetch(url, { headers, signal, redirect: 'error' });
    text = await limited(response);
    if (!response.ok) throw new SearchFailed(`The search provider answered with status ${response.status}.`);
  } catch (error) {
    if (error instanceof SearchFailed) throw error;
    throw new SearchFailed('The search provider could not be reached.', { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SearchFailed("The search provider's answer is not understood.", { cause: error });
  }
}

async function limited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new SearchFailed("The search provider's answer is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

class SearchFailed extends Error {
  override name = 'SearchFailed';
}

const record = z.record(z.string(), z.unknown());

function hitsOf(answer: unknown, path: string): SearchHit[] {
  let list = answer;
  for (const name of path.split('.').filter(Boolean)) list = record.safeParse(list).data?.[name];
  if (!Array.isArray(list)) throw new SearchFailed("The search provider's answer has no list of results.");
  return list.flatMap((item) => {
    const fields = record.safeParse(item).data ?? {};
    const url = first(fields, ADDRESSES);
    return url ? [{ url, title: first(fields, TITLES), excerpt: first(fields, EXCERPTS) }] : [];
  });
}

function first(fields: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value) return value;
  }
  return '';
}
