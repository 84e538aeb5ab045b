import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  agent,
  aiserver,
  type Envelope,
  EnvelopeDecoder,
  EnvelopeError,
  encodeEnvelope,
  parseEndStream,
} from '@tandem/proto';
import { type Call, type Connection, send, type TurnNames, turnHeaders } from '../connection.ts';
import { ConnectionError } from '../errors/client-error.ts';
import { errorOfHttp, ServerError } from '../errors/server-error.ts';
import { type HttpResponse, readBody } from '../transport/transport.ts';

/** One event as it came. */
export interface ServerFrame {
  readonly message: agent.AgentServerMessage;
  /** The event's bytes, decompressed: equal bytes mean the same frame. */
  readonly payload: Uint8Array;
  /** The envelope's flags as sent. */
  readonly flags: number;
}

/** Content types under which the stream may come (the body is the same). */
const CONTENT_TYPES = ['application/connect+proto', 'text/event-stream'];

/** The largest event accepted, in bytes. */
const MAX_EVENT_BYTES = 64 * 1024 * 1024;

/** What is asked for when a request's events are: the names of both channels, and what the client has of the events. */
export interface Subscription extends TurnNames {
  readonly token: string;
  /** Frames of this request that the client has from an earlier stream, heartbeats not counted: it gets those behind them. */
  readonly received?: number;
}

/** The call that subscribes to a request's events (RunSSE). */
export function streamCall({ token, received, ...names }: Subscription): Call {
  const id = create(aiserver.BidiRequestIdSchema, { requestId: names.requestId });
  return {
    method: 'POST',
    path: '/agent.v1.AgentService/RunSSE',
    headers: {
      ...turnHeaders(token, names),
      'content-type': 'application/connect+proto',
      'connect-accept-encoding': 'gzip',
      ...(received === undefined ? {} : { 'x-tandem-received': String(received) }),
    },
    body: encodeEnvelope(toBinary(aiserver.BidiRequestIdSchema, id)),
  };
}

/**
 * Subscribes to a request's events.
 * @throws ServerError when the server refuses; ConnectionError
 */
export async function subscribe(
  connection: Connection,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const response = await send(connection, { ...streamCall(subscription), signal });
  if (response.status !== 200) {
    throw errorOfHttp('stream', response.status, await readBody(response));
  }
  const contentType = response.header('content-type') ?? 'none';
  if (!CONTENT_TYPES.includes(contentType.split(';')[0]?.trim() ?? '')) {
    throw new ConnectionError('malformed', `a stream of content type ${contentType}`);
  }
  return response;
}

/**
 * The events of a subscription, in order. Returns when the server ended the stream well.
 * @throws ServerError when it ended with an error; ConnectionError `cut`, `no_end`, `malformed`
 */
export async function* readEvents(
  response: HttpResponse,
  signal: AbortSignal,
): AsyncGenerator<ServerFrame, void> {
  const decoder = new EnvelopeDecoder({ maxMessageBytes: MAX_EVENT_BYTES });
  const chunks = response.body[Symbol.asyncIterator]();
  try {
    for (let chunk = await nextChunk(chunks, signal); chunk; chunk = await nextChunk(chunks, signal)) {
      for (const envelope of envelopes(decoder, chunk)) {
        if (envelope.endStream) return finish(envelope.payload);
        yield decodeFrame(envelope);
      }
    }
    throw new ConnectionError('no_end', 'the stream ended without EndStream');
  } finally {
    // Behind EndStream nothing counts any more: reading on lets the connection be used again, leaving breaks it.
    if (decoder.ended) void drain(chunks);
    else void chunks.return?.().catch(() => undefined);
  }
}

async function nextChunk(
  chunks: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  try {
    const { done, value } = await chunks.next();
    if (!done) return value;
    // A body that was dropped before it was read merely ends.
    signal.throwIfAborted();
    return undefined;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new ConnectionError('cut', 'the connection broke', { cause });
  }
}

async function drain(chunks: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    while (!(await chunks.next()).done);
  } catch {
    // A connection that breaks now broke nothing.
  }
}

function* envelopes(decoder: EnvelopeDecoder, chunk: Uint8Array): Generator<Envelope, void> {
  try {
    yield* decoder.push(chunk);
  } catch (cause) {
    if (cause instanceof EnvelopeError) throw malformed(cause);
    throw cause;
  }
}

function finish(payload: Uint8Array): void {
  let end: ReturnType<typeof parseEndStream>;
  try {
    end = parseEndStream(payload);
  } catch (cause) {
    throw malformed(cause);
  }
  if (end.code !== undefined) {
    throw new ServerError({ source: 'stream', code: end.code, message: end.message, details: end.details });
  }
}

function decodeFrame({ payload, flags }: Envelope): ServerFrame {
  try {
    return { message: fromBinary(agent.AgentServerMessageSchema, payload), payload, flags };
  } catch (cause) {
    throw malformed(cause);
  }
}

function malformed(cause: unknown): ConnectionError {
  return new ConnectionError('malformed', 'the stream cannot be decoded', { cause });
}
