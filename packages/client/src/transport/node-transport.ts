import http from 'node:http';
import https from 'node:https';
import type { HttpRequest, HttpResponse, Transport } from './transport.ts';

/** Options of {@link nodeTransport}. */
export interface NodeTransportOptions {
  /** Connections to one server at most; unbounded by default, since each open turn holds one. */
  readonly maxSockets?: number;
}

/**
 * A transport on node's HTTP/1.1, with connections kept alive between requests. Waits for an answer without limit:
 * time-outs are the caller's signal.
 */
export function nodeTransport({ maxSockets = Infinity }: NodeTransportOptions = {}): Transport {
  const options = { keepAlive: true, maxSockets };
  const plain = new http.Agent(options);
  const secure = new https.Agent(options);
  return {
    request: (request) =>
      request.url.startsWith('https:')
        ? exchange(https.request, secure, request)
        : exchange(http.request, plain, request),
    close: () => {
      plain.destroy();
      secure.destroy();
    },
  };
}

function exchange(
  start: typeof http.request,
  agent: http.Agent,
  { method, url, headers, body, signal }: HttpRequest,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const request = start(url, { method, agent, headers });
    const abort = () => request.destroy(asError(signal?.reason));
    signal?.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal?.removeEventListener('abort', abort));
    request.once('error', reject);
    request.once('response', (response) => {
      // From here on a fault belongs to the body, whose reader gets it.
      request.off('error', reject);
      request.on('error', (error) => response.destroy(error));
      signal?.removeEventListener('abort', abort);
      breakOnAbort(response, signal);
      resolve({
        status: response.statusCode ?? 0,
        header: (name) => joined(response.headers[name]),
        body: response,
      });
    });
    request.end(body);
  });
}

function breakOnAbort(response: http.IncomingMessage, signal: AbortSignal | undefined): void {
  // The reader gets the error all the same; a body that nobody reads may break unseen.
  response.on('error', () => undefined);
  // Without an error: that of a socket which already left its finished response has no listener.
  const abort = () => response.destroy();
  signal?.addEventListener('abort', abort, { once: true });
  response.once('close', () => signal?.removeEventListener('abort', abort));
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
