import { TandemError } from '@tandem/errors';
import type { KeyOwner, Logger } from '@tandem/platform';
import { EnvelopeDecoder } from '@tandem/proto';
import { UnsupportedMediaType } from '../append/bidi-append.ts';
import { checkMessage, checkRequestId } from '../append/decode-append.ts';
import { requestInfo, turnOf } from '../append/request-info.ts';
import { type StoreDeps, storeAppend } from '../append/store-append.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { GatewayConfig } from '../config/gateway-config.ts';
import type { Reader } from '../reader/reader.ts';
import { HttpSink } from '../relay/http-sink.ts';
import { envelopeFault } from '../relay/read-stream-request.ts';
import { acceptsGzip, cameThroughProxy, streamContentType, writeStreamHead } from '../relay/stream-head.ts';
import type { Streams } from '../relay/streams.ts';
import { answerError, answerStreamError } from '../server/connect-answers.ts';
import { type Handler, header, mediaType, type Request, type Response } from '../server/exchange.ts';
import { type CallSpan, startCallSpan } from '../tracing/call-span.ts';

export interface RunDeps extends StoreDeps {
  readonly auth: Authenticator;
  readonly streams: Streams;
  readonly logger: Logger;
  readonly maxMessageBytes: number;
  readonly streamContentType: GatewayConfig['streamContentType'];
  readonly trustedProxy: boolean;
  readonly observe: (error: TandemError | undefined, ms: number, bytes: number) => void;
  readonly observeRefusal: (error: TandemError) => void;
}

/** `AgentService/Run`: the two channels in one call. Its messages are numbered by their order. */
export function runHandler(deps: RunDeps): Handler {
  return (request, response) => {
    const span = startCallSpan('agent.v1.AgentService/Run', request);
    const opened = span.within(() => open(deps, request, response, span));
    opened.catch((thrown: unknown) => {
      const error = TandemError.from(thrown);
      span.end(error);
      deps.observeRefusal(error);
      deps.logger.debug({ reason: error.reason, detail: error.message, ...span.logFields }, 'run refused');
      if (thrown instanceof UnsupportedMediaType) answerError(request, response, error, 415);
      else answerStreamError(request, response, error, streamContentType(request, deps.streamContentType));
    });
  };
}

async function open(deps: RunDeps, request: Request, response: Response, span: CallSpan): Promise<void> {
  if (mediaType(request) !== 'application/connect+proto')
    throw new UnsupportedMediaType('application/connect+proto');
  if (request.httpVersionMajor < 2) {
    throw new TandemError('unsupported', {
      detail: 'Run needs HTTP/2: use RunSSE and BidiAppend with HTTP/1.1.',
    });
  }
  const owner = await deps.auth.identify(request);
  deps.streams.admit();
  const requestId = checkRequestId(header(request, 'x-request-id') ?? '', 'x-request-id');
  const { key } = turnOf(request, owner.ownerId, requestId);

  const gzip = acceptsGzip(request);
  writeStreamHead(response, streamContentType(request, deps.streamContentType), gzip);
  const trusted = deps.trustedProxy || !cameThroughProxy(request);
  const reader = deps.streams.open({ key, requestId, acceptsGzip: gzip, trusted }, new HttpSink(response));
  span.note({ 'tandem.request.id': requestId, 'tandem.run.id': key.turn });
  void reader.done.then((end) => {
    span.note({ 'tandem.stream.end': end });
    span.end();
  });
  if (response.destroyed) reader.clientClosed();
  response.once('close', () => reader.clientClosed());
  await takeMessages(deps, request, owner, requestId, reader);
}

/** Stores the client's messages one after the other: the transport holds it back meanwhile. */
async function takeMessages(
  deps: RunDeps,
  request: Request,
  owner: KeyOwner,
  requestId: string,
  reader: Reader,
): Promise<void> {
  const { key, originalRequestId } = turnOf(request, owner.ownerId, requestId);
  const decoder = new EnvelopeDecoder({ maxMessageBytes: deps.maxMessageBytes });
  let seqno = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      for (const { payload, endStream } of decoder.push(chunk as Buffer)) {
        if (endStream) continue;
        const began = deps.clock.now();
        const message = checkMessage(payload, deps.maxMessageBytes);
        const info = seqno === 0 ? requestInfo(request, owner, originalRequestId) : undefined;
        await storeAppend(deps, key, { requestId, seqno, message }, info);
        deps.observe(undefined, deps.clock.now() - began, payload.length);
        seqno += 1;
      }
    }
    decoder.end();
  } catch (thrown) {
    // A client that closed the call is the reader's business.
    if (request.aborted || request.destroyed) return;
    const error = envelopeFault(thrown);
    deps.observe(error, 0, 0);
    await reader.fail(error);
  }
}
