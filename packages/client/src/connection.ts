import type { Clock } from './clock.ts';
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
