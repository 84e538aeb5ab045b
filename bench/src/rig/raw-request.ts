import type { Call } from '@tandem/client/wire';

/** A call as the bytes of an HTTP/1.1 request. */
export function rawRequest({ method, path, headers, body = new Uint8Array(0) }: Call): Buffer {
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}
