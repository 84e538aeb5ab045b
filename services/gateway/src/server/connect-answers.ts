import {
  connectCodeToHttp,
  retryAfterSeconds,
  TandemError,
  toConnectErrorJson,
  toEndStreamError,
} from '@tandem/errors';
import { encodeEndStream } from '@tandem/proto';
import { type Request, type Response, respond } from './exchange.ts';

/** How long a client may go on sending a body that nobody wants, before its connection is cut. Milliseconds. */
const LINGER_MS = 2000;
const NO_BYTES = new Uint8Array(0);

/** The answer to a unary call whose result message has no fields set. */
export function answerEmpty(response: Response): void {
  respond(response, 200, { 'content-type': 'application/proto' }, NO_BYTES);
}

/** The same for a call whose body was JSON. */
export function answerEmptyJson(response: Response): void {
  respond(response, 200, { 'content-type': 'application/json' }, '{}');
}

/**
 * Answers a unary call with an error, as Connect does: JSON, with the code's HTTP status unless another fits better. The
 * rest of an unread body is let go for a moment, so that the client gets to read the answer.
 */
export function answerError(request: Request, response: Response, error: unknown, status?: number): void {
  const fault = TandemError.from(error);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (fault.retryAfterMs !== undefined) headers['retry-after'] = retryAfterSeconds(fault.retryAfterMs);
  respond(
    response,
    status ?? connectCodeToHttp(fault.code),
    headers,
    JSON.stringify(toConnectErrorJson(fault)),
  );
  letGo(request);
}

/** Answers a streaming call with an error: a stream that is nothing but its end, as Connect asks for. */
export function answerStreamError(
  request: Request,
  response: Response,
  error: unknown,
  contentType: string,
): void {
  const body = encodeEndStream({ error: toEndStreamError(error) });
  respond(response, 200, { 'content-type': contentType, 'cache-control': 'no-store' }, body);
  letGo(request);
}

function letGo(request: Request): void {
  if (request.complete || request.destroyed) return;
  request.resume();
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy();
  }, LINGER_MS);
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => clearTimeout(timer));
}
