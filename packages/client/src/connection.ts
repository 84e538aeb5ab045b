import type { Clock } from '@tandem/errors';
import { ClientError, ConnectionError } from './errors/client-error.ts';
import type { HttpRequest, HttpResponse, Transport } from './transport/transport.ts';

/** What every call to a server needs. */
export interface Connection {
  /** `http://` or `https://`, with or without a path; no trailing slash. */
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A random UUID and a random number in [0, 1); a test passes its own. */
export interface Entropy {
  id(): string;
  random(): number;
}

/** A request to the server of a connection. */
export type Call = Omit<HttpRequest, 'url'> & { readonly path: string };

/** What names one attempt at a turn, on both channels. */
export interface TurnNames {
  /** Names this stream; a retry needs a new one. */
  readonly requestId: string;
  /** The request id of the turn's first attempt; the same in all of them. */
  readonly originalRequestId: string;
  /** 64 hex digits: encrypts what the server may cache of the conversation. */
  readonly encryptionKey?: string;
}

/** The headers that both channels of an attempt carry. */
export function turnHeaders(token: string, names: TurnNames): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'connect-protocol-version': '1',
    'x-request-id': names.requestId,
    'x-original-request-id': names.originalRequestId,
    ...(names.encryptionKey === undefined ? {} : { 'x-blob-encryption-key': names.encryptionKey }),
  };
}

/** Sends one request to the server. @throws ConnectionError `unreachable`; the signal's reason when that aborted */
export async function send(
  connection: Connection,
  { path, headers, signal, ...rest }: Call,
): Promise<HttpResponse> {
  try {
    return await connection.transport.request({
      ...rest,
      url: `${connection.baseUrl}${path}`,
      headers: { ...connection.headers, ...headers },
      signal,
    });
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (cause instanceof ClientError) throw cause;
    throw new ConnectionError('unreachable', `cannot reach ${connection.baseUrl}: ${causeText(cause)}`, {
      cause,
    });
  }
}

function causeText(cause: unknown): string {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return String(code ?? message ?? cause);
}
