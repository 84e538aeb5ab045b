import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline } from 'node:stream';
import zlib from 'node:zlib';
import { FetchRefused, type Target } from './resolve-target.ts';

export interface Fetched {
  readonly status: number;
  /** Where a redirect leads. */
  readonly location: string | undefined;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly cut: boolean;
}

/** What every request says of itself. Nothing of it comes from a model or a user. */
const HEADERS = {
  'user-agent': 'Mozilla/5.0 (compatible; Tandem)',
  accept: 'text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en;q=0.8,*;q=0.5',
};

const MAX_HEADER_BYTES = 32 * 1024;

/**
 * Makes one request to an address that was checked. The name is not resolved again, and nothing is kept for later requests.
 * @param maxBytes what is read of the body, after decompression
 * @throws FetchRefused when there is no answer
 */
export function requestOnce(target: Target, maxBytes: number, signal: AbortSignal): Promise<Fetched> {
  const { url, address, port } = target;
  const module = url.protocol === 'https:' ? https : http;
  const family = isIP(address);
  const lookup: LookupFunction = (_hostname, options, done) => {
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
  const { promise, resolve, reject } = Promise.withResolvers<Fetched>();
  const request = module.request(
    url,
    { port, lookup, agent: false, headers: HEADERS, signal, maxHeaderSize: MAX_HEADER_BYTES },
    (response) => {
      const { statusCode: status = 0, headers } = response;
      const head = { status, contentType: headers['content-type'] ?? '' };
      if (status >= 300 && status < 400 && headers.location) {
        request.destroy();
        resolve({ ...head, location: headers.location, body: new Uint8Array(), cut: false });
        return;
      }
      readBody(response, maxBytes).then(
        ({ body, cut }) => {
          request.destroy();
          resolve({ ...head, location: undefined, body, cut });
        },
        (error: unknown) => {
          request.destroy();
          reject(refusalOf(error, url, signal));
        },
      );
    },
  );
  request.on('error', (error) => reject(refusalOf(error, url, signal)));
  request.end();
  return promise;
}

async function readBody(
  response: http.IncomingMessage,
  maxBytes: number,
): Promise<{ body: Uint8Array; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of decoded(response)) {
    const data = chunk as Uint8Array;
    chunks.push(data.subarray(0, maxBytes - size));
    size += data.length;
    // Leaving the loop ends the stream, however much is still to come.
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks), cut: size > maxBytes };
}

function decoded(response: http.IncomingMessage): AsyncIterable<unknown> {
  const decoder = decoderOf(response.headers['content-encoding']);
  // The reader of the last stream is told of what goes wrong in the others.
  return decoder ? pipeline(response, decoder, () => {}) : response;
}

function decoderOf(encoding: string | undefined) {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip();
    case 'deflate':
      return zlib.createInflate();
    case 'br':
      return zlib.createBrotliDecompress();
    default:
      return undefined;
  }
}

function refusalOf(error: unknown, { host }: URL, signal: AbortSignal): FetchRefused {
  if (signal.aborted) return new FetchRefused(`${host} took too long to answer.`);
  const code = (error as NodeJS.ErrnoException)?.code;
  return new FetchRefused(`${host} could not be reached${code ? ` (${code})` : ''}.`, { cause: error });
}
