import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** A request, by whichever version of HTTP it came. */
export type Request = IncomingMessage | Http2ServerRequest;
/** Its response. */
export type Response = ServerResponse | Http2ServerResponse;
export type Handler = (request: Request, response: Response) => void;

/** A header's value; of one that was sent more than once, the first. */
export function header(request: Request, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The media type of a request, in lower case, without parameters. */
export function mediaType(request: Request): string {
  return (header(request, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** The path of a request, without query. */
export function pathOf(request: Request): string {
  const url = request.url ?? '/';
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

/** Lets go of a request's headers, a token among them: a stream lasts long, and nobody asks for them again. */
export function forgetHeaders(request: Request): void {
  if (!(request instanceof IncomingMessage)) return;
  request.rawHeaders.length = 0;
  request.headers = {};
}

/** Writes head and body at once. The two versions declare the same calls by different types. */
export function respond(
  response: Response,
  status: number,
  headers: Record<string, string>,
  body: string | Uint8Array = '',
): void {
  if (response.headersSent || response.destroyed) return;
  const target = response as ServerResponse;
  target.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
  // An empty body would be written, too, and make two writes of one.
  if (body.length === 0) target.end();
  else target.end(body);
}
