import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Writable } from 'node:stream';
import type { Sink } from '../reader/reader-types.ts';
import type { Response } from '../server/exchange.ts';

const NO_BYTES = new Uint8Array(0);
const ignore = () => {};

/** The response of an HTTP request, of either version, as a reader's sink. */
export class HttpSink implements Sink {
  readonly #response: ServerResponse;
  #closed = false;
  #draining: Promise<void> | undefined;

  constructor(response: Response) {
    this.#response = response as ServerResponse;
    response.on('close', () => {
      this.#closed = true;
    });
    // A broken socket also closes the response, and that is what is listened to.
    response.on('error', ignore);
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    // A chunk of nothing would be the last one.
    if (bytes.length === 0 || this.#closed || this.#response.writableEnded) return undefined;
    const target = this.#plainSocket() ?? this.#response;
    if (target.write(target === this.#response ? bytes : encodeChunk(bytes))) return undefined;
    this.#draining ??= this.#room(target);
    return this.#draining;
  }

  /**
   * The socket under a chunked response of HTTP/1.1 of which all so far was handed to it. Writing chunks to it takes one
   * small write a chunk where the response's own way takes a vector of four, and half as long.
   */
  #plainSocket(): Writable | undefined {
    const { socket, chunkedEncoding, headersSent, writableLength } = this.#response;
    return socket && chunkedEncoding && headersSent && writableLength === socket.writableLength
      ? socket
      : undefined;
  }

  flushed(): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const gone = () => resolve(false);
      this.#response.once('close', gone);
      this.#response.write(NO_BYTES, (error) => {
        this.#response.off('close', gone);
        resolve(!error);
      });
    });
  }

  async end(confirm: boolean): Promise<boolean> {
    if (this.#closed) return false;
    const { socket } = this.#response;
    const stream = streamOf(this.#response);
    await new Promise<void>((resolve) => {
      this.#response.once('close', resolve);
      this.#response.end(resolve);
    });
    if (!confirm) return false;
    if (stream) return pinged(stream);
    return socket ? closedByPeer(socket) : false;
  }

  destroy(): void {
    const stream = streamOf(this.#response);
    if (stream) stream.destroy();
    else this.#response.destroy();
  }

  /** Resolves when `target` takes bytes again, or the client is gone. */
  #room(target: Writable): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        target.off('drain', done);
        this.#response.off('close', done);
        this.#draining = undefined;
        resolve();
      };
      target.on('drain', done);
      this.#response.on('close', done);
    });
  }
}

/** Bytes as a chunk of a body (RFC 9112, 7.1). */
function encodeChunk(bytes: Uint8Array): Buffer {
  const head = `${bytes.length.toString(16)}\r\n`;
  const chunk = Buffer.allocUnsafe(head.length + bytes.length + 2);
  chunk.write(head, 0, 'latin1');
  chunk.set(bytes, head.length);
  chunk[chunk.length - 2] = 13;
  chunk[chunk.length - 1] = 10;
  return chunk;
}

function streamOf(response: ServerResponse): Http2ServerResponse['stream'] | undefined {
  return (response as unknown as Partial<Http2ServerResponse>).stream;
}

/** An answered ping was preceded by all that was sent before it. */
function pinged({ session }: Http2ServerResponse['stream']): Promise<boolean> {
  return new Promise((resolve) => {
    if (!session || session.destroyed) return resolve(false);
    session.once('close', () => resolve(false));
    if (!session.ping((error) => resolve(!error))) resolve(false);
  });
}

/** Our end of the connection comes behind all bytes; a client that ends its own without a fault has read them. */
function closedByPeer(socket: NonNullable<ServerResponse['socket']>): Promise<boolean> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve(false);
    socket.once('end', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.end();
  });
}
