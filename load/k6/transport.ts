import type { HttpRequest, HttpResponse, Transport } from '@tandem/client';
import http from 'k6/http';

/** Longer than any stream of a script. */
const TIMEOUT = '15m';

/**
 * k6's HTTP as the client's transport. k6 gives an answer's body only as a whole: a stream is seen when it has ended. It cannot end a
 * call either: one whose signal aborts is only no longer waited for.
 */
export const k6Transport: Transport = {
  request: ({ method, url, headers, body, signal }) => {
    const name = url.slice(url.lastIndexOf('/') + 1);
    const exchange = http
      .asyncRequest(method, url, body ? bufferOf(body) : null, {
        headers: plain(headers),
        responseType: 'binary',
        timeout: TIMEOUT,
        tags: { name },
      })
      .then((response): HttpResponse => {
        if (response.status === 0) throw new Error(`${name}: ${response.error}`);
        return {
          status: response.status,
          header: (wanted) => headerOf(response.headers, wanted),
          body: wholeBody(response.body),
        };
      });
    return Promise.race([exchange, aborted(signal)]);
  },
  close: () => undefined,
};

/** Nothing here can decompress frames. */
function plain({ 'connect-accept-encoding': _compression, ...headers }: HttpRequest['headers']) {
  return headers;
}

function headerOf(headers: Readonly<Record<string, string>>, wanted: string): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

async function* wholeBody(body: ArrayBuffer | null): AsyncGenerator<Uint8Array, void> {
  if (body) yield new Uint8Array(body);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer {
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
