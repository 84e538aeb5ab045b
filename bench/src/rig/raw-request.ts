import type { Call } from '@tandem/client/wire';

/**
 * A call of a first attempt as the bytes of an HTTP/1.1 request. Its original id, which says nothing new, is left out: figures of
 * before had none.
 */
export function rawRequest({ method, path, headers: all, body = new Uint8Array(0) }: Call): Buffer {
  const { 'x-original-request-id': _same, ...headers } = all;
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}
