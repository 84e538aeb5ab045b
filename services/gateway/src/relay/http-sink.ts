import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Sink } from '../reader/index.ts';
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
    if (this.#closed || this.#response.writableEnded) return undefined;
    if (this.#response.write(bytes)) return undefined;
    this.#draining ??= this.#room();
    return this.#draining;
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

  #room(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#response.off('drain', done);
        this.#response.off('close', done);
        this.#draining = undefined;
        resolve();
      };
      this.#response.on('drain', done);
      this.#response.on('close', done);
    });
  }
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
