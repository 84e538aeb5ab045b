import type { Clock } from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';
import type { Logger } from '@tandem/platform';
import { UnsupportedMediaType } from '../append/bidi-append.ts';
import { type BodyLimits, readBody } from '../append/read-body.ts';
import { turnOf } from '../append/request-info.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import { answerError, answerStreamError } from '../server/connect-answers.ts';
import {
  forgetHeaders,
  type Handler,
  header,
  mediaType,
  type Request,
  type Response,
} from '../server/exchange.ts';
import { type CallSpan, startCallSpan } from '../tracing/call-span.ts';
import { HttpSink } from './http-sink.ts';
import { MAX_STREAM_REQUEST_BYTES, readStreamRequest } from './read-stream-request.ts';
import { acceptsGzip, cameThroughProxy, streamContentType, writeStreamHead } from './stream-head.ts';
import type { Streams } from './streams.ts';

export interface RunSseDeps {
  readonly auth: Authenticator;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly bodyLimits: Omit<BodyLimits, 'maxBytes'>;
  readonly streamContentType: GatewayConfig['streamContentType'];
  readonly trustedProxy: boolean;
  /** Told of each stream that was refused. */
  readonly observeRefusal: (error: TandemError) => void;
}

/**
 * `AgentService/RunSSE`: the events of one request. A raw handler, since it copies bytes and holds thousands of streams;
 * its errors are Connect's.
 */
export function runSseHandler(deps: RunSseDeps): Handler {
  return (request, response) => {
    const span = startCallSpan('agent.v1.AgentService/RunSSE', request);
    const opened = span.within(() => open(deps, request, response, span));
    opened.catch((thrown: unknown) => {
      const error = TandemError.from(thrown);
      span.end(error);
      deps.observeRefusal(error);
      deps.logger.debug({ reason: error.reason, detail: error.message, ...span.logFields }, 'stream refused');
      if (thrown instanceof UnsupportedMediaType) answerError(request, response, error, 415);
      else answerStreamError(request, response, error, streamContentType(request, deps.streamContentType));
    });
  };
}

async function open(deps: RunSseDeps, request: Request, response: Response, span: CallSpan): Promise<void> {
  if (mediaType(request) !== 'application/connect+proto')
    throw new UnsupportedMediaType('application/connect+proto');
  const owner = await deps.auth.identify(request);
  deps.streams.admit();
  const limits = { ...deps.bodyLimits, maxBytes: MAX_STREAM_REQUEST_BYTES };
  const body = await readBody(request, { limits, clock: deps.clock });
  const requestId = readStreamRequest(body);
  const { key, originalRequestId } = turnOf(request, owner.ownerId, requestId);
  const received = receivedOf(request);

  const gzip = acceptsGzip(request);
  writeStreamHead(response, streamContentType(request, deps.streamContentType), gzip);
  const trusted = deps.trustedProxy || !cameThroughProxy(request);
  forgetHeaders(request);
  const reader = deps.streams.open(
    { key, requestId, received, acceptsGzip: gzip, trusted },
    new HttpSink(response),
  );
  if (response.destroyed) reader.clientClosed();
  response.on('close', () => reader.clientClosed());
  const names = { requestId, runId: originalRequestId, ownerId: owner.ownerId, ...span.logFields };
  deps.logger.debug(names, 'stream opened');
  span.note({ 'tandem.request.id': requestId, 'tandem.run.id': key.turn });
  void reader.done.then((end) => {
    span.note({ 'tandem.stream.end': end });
    span.end();
    deps.logger.debug({ ...names, end }, 'stream ended');
  });
}

/** How many frames of this request our own client has, from a stream that broke: it gets those behind them. */
function receivedOf(request: Request): number {
  const received = header(request, 'x-tandem-received');
  if (received === undefined) return 0;
  if (/^\d{1,9}$/.test(received)) return Number(received);
  throw new TandemError('bad_request', { detail: 'x-tandem-received is not a number of frames.' });
}
