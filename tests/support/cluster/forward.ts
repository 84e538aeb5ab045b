import http, { type IncomingMessage, type ServerResponse } from 'node:http';

/** Passes a call on to a gateway, as a load balancer does. @throws the connection's error, before there is an answer */
export function forward(
  agent: http.Agent,
  gateway: string,
  { method, url, headers, socket }: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { 'transfer-encoding': _chunked, connection: _hop, 'content-length': _length, ...rest } = headers;
  const request = http.request(`${gateway}${url}`, {
    agent,
    method,
    headers: { ...rest, 'content-length': body.byteLength, 'x-forwarded-for': socket.remoteAddress },
  });
  request.once('response', resolve);
  request.once('error', reject);
  // A client that leaves takes its call along.
  outgoing.once('close', () => !outgoing.writableFinished && request.destroy());
  request.end(body);
  return promise;
}
