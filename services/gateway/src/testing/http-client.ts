import { request as http1Request, type IncomingHttpHeaders } from 'node:http';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { agent, aiserver, encodeEnvelope, encodeHex } from '@tandem/proto';
import { CollectingSink } from './collecting-sink.ts';
import { ALICE_KEY } from './gateway-fixture.ts';

export const APPEND_PATH = '/aiserver.v1.BidiService/BidiAppend';
export const STREAM_PATH = '/agent.v1.AgentService/RunSSE';

/** A heartbeat of a client, encoded. */
export const HEARTBEAT = toBinary(
  agent.AgentClientMessageSchema,
  create(agent.AgentClientMessageSchema, { message: { case: 'clientHeartbeat', value: {} } }),
);

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body, when it is an error of Connect. */
  readonly error: {
    code?: string;
    message?: string;
    details?: { debug: { details: { isRetryable: boolean } } }[];
  };
}

/** Sends a request by HTTP/1.1. */
export function post(
  url: string,
  path: string,
  body: Uint8Array | string,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http1Request(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${ALICE_KEY}`, 'content-type': 'application/proto', ...headers },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const json = response.headers['content-type'] === 'application/json' && bytes.length > 0;
        const error = json ? JSON.parse(bytes.toString()) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: bytes, error });
      });
    });
    request.end(body);
  });
}

/** The body of a BidiAppend. */
export function appendBody(
  requestId: string,
  seqno: number | bigint,
  message: Uint8Array | string = HEARTBEAT,
  more: { dataBinary?: Uint8Array } = {},
): Uint8Array {
  return toBinary(
    aiserver.BidiAppendRequestSchema,
    create(aiserver.BidiAppendRequestSchema, {
      requestId: { requestId },
      appendSeqno: BigInt(seqno),
      data: typeof message === 'string' ? message : encodeHex(message),
      ...more,
    }),
  );
}

export function append(url: string, requestId: string, seqno: number, headers: Record<string, string> = {}) {
  return post(url, APPEND_PATH, appendBody(requestId, seqno), headers);
}

/** The body of a RunSSE. */
export function streamBody(requestId: string): Uint8Array {
  const message = create(aiserver.BidiRequestIdSchema, { requestId });
  return encodeEnvelope(toBinary(aiserver.BidiRequestIdSchema, message));
}

/** Opens a stream by HTTP/1.1; resolves when its head has come. */
export function openStream(url: string, requestId: string, headers: Record<string, string> = {}) {
  return openStreamWith(url, streamBody(requestId), headers);
}

export function openStreamWith(url: string, body: Uint8Array, headers: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<OpenStream>();
  const request = http1Request(new URL(STREAM_PATH, url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ALICE_KEY}`,
      'content-type': 'application/connect+proto',
      ...headers,
    },
  });
  request.on('error', reject);
  request.on('response', (response) => {
    const client = new CollectingSink();
    const over = Promise.withResolvers<boolean>();
    response.on('data', (chunk: Buffer) => client.write(chunk));
    response.on('end', () => over.resolve(true));
    response.on('close', () => over.resolve(false));
    response.on('error', () => over.resolve(false));
    resolve({
      status: response.statusCode ?? 0,
      headers: response.headers,
      client,
      over: over.promise,
      abort: () => request.destroy(),
      pause: () => response.pause(),
      resume: () => response.resume(),
    });
  });
  request.end(body);
  return promise;
}

export interface OpenStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly client: CollectingSink;
  /** Whether the response ended as it should. */
  readonly over: Promise<boolean>;
  abort(): void;
  pause(): void;
  resume(): void;
}

/** Decodes a stored client message. */
export function decodeStored(bytes: Uint8Array): agent.AgentClientMessage {
  return fromBinary(agent.AgentClientMessageSchema, bytes);
}
