import { lookup } from 'node:dns/promises';
import type { WebPage } from '@tandem/agent';
import { pageText } from './page-text.ts';
import { isPublicAddress } from './public-address.ts';
import { type Fetched, requestOnce } from './request-once.ts';
import { type Allow, FetchRefused, type Resolve, resolveTarget } from './resolve-target.ts';

export interface WebFetchOptions {
  readonly resolve: Resolve;
  readonly allow: Allow;
  readonly maxBytes: number;
  /** For all of it: names, redirects, bodies. In ms. */
  readonly timeoutMs: number;
  readonly maxRedirects: number;
}

const PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);

/** What a server on a private network may reach on behalf of a model: the public web. */
export const PUBLIC_WEB: WebFetchOptions = Object.freeze<WebFetchOptions>({
  resolve: async (hostname) => (await lookup(hostname, { all: true })).map(({ address }) => address),
  allow: (address, port) => PORTS.has(port) && isPublicAddress(address),
  maxBytes: 1024 * 1024,
  timeoutMs: 30_000,
  maxRedirects: 5,
});

/**
 * Reads a page. Each address on the way is checked, and exactly the checked one connected to.
 * @throws FetchRefused with a message for the model
 */
export async function webFetch(
  address: string,
  signal: AbortSignal,
  options: WebFetchOptions = PUBLIC_WEB,
): Promise<WebPage> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]);
  let next = address;
  for (let redirects = 0; redirects <= options.maxRedirects; redirects++) {
    const target = await inTime(resolveTarget(next, options.resolve, options.allow), either);
    const fetched = await requestOnce(target, options.maxBytes, either);
    if (fetched.location === undefined) return pageOf(fetched, target.url);
    if (!URL.canParse(fetched.location, target.url.href))
      throw new FetchRefused('It leads to what is no address.');
    next = new URL(fetched.location, target.url).href;
  }
  throw new FetchRefused(`It leads from one address to another, more than ${options.maxRedirects} times.`);
}

function pageOf({ status, contentType, body, cut }: Fetched, url: URL): WebPage {
  return { url: url.href, status, cut, ...pageText(contentType, body, url) };
}

/** A resolver can't be told to stop, but nobody has to wait for it. */
async function inTime<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new FetchRefused('It took too long to answer.'));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
