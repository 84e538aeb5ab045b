/** One HTTP request. Header names are lower case. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Ends the exchange, the response's body included. */
  readonly signal?: AbortSignal;
}

/** An answer whose headers have arrived; the body may still be on its way. */
export interface HttpResponse {
  readonly status: number;
  /** @param name lower case */
  header(name: string): string | undefined;
  /** Iterated at most once; ends when the server ended it or the signal aborted, throws when the connection broke. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** How the client reaches a server: over node's own HTTP, or whatever a test or a load generator plugs in. */
export interface Transport {
  /** @throws anything when no answer came, or the signal's reason */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Closes all connections; what is still running fails. */
  close(): void;
}

/** The whole body of an answer. */
export async function readBody(response: HttpResponse): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
