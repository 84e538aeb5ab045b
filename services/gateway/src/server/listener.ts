import { createServer as createHttp1, type Server as Http1Server } from 'node:http';
import { createServer as createHttp2, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { createServer as createTcp, type Socket, type Server as TcpServer } from 'node:net';
import { createServer as createTls, type TLSSocket } from 'node:tls';
import type { Handler } from './exchange.ts';

export interface ListenerOptions {
  readonly handler: Handler;
  /** Certificate and key in PEM; plain TCP without. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** How long a connection may take to say what it wants, milliseconds. */
  readonly headersMs: number;
  /** How long a connection without a request is kept, milliseconds. */
  readonly idleMs: number;
  /** Told of connections that broke the protocol or failed. */
  readonly onFault?: (error: Error) => void;
}

const KEEP_ALIVE_DELAY_MS = 30_000;
/** What may be asked of us in a header block; clients send a token and a few ids. */
const MAX_HEADER_BYTES = 32 * 1024;
const MAX_STREAMS_PER_CONNECTION = 1000;

/**
 * One port for HTTP/1.1 and HTTP/2, in clear text or with TLS: the first bytes of a connection (or ALPN) say which it
 * is, and the socket is handed to a server of that version.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  readonly #front: TcpServer;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<ServerHttp2Session>();
  /** The same for all sockets, of which there are many. */
  readonly #failed = (error: Error) => this.#options.onFault?.(error);
  readonly #forget: (this: Socket) => void;

  constructor(options: ListenerOptions) {
    this.#options = options;
    const sockets = this.#sockets;
    this.#forget = function forget() {
      sockets.delete(this);
    };
    this.#http1 = this.#makeHttp1();
    this.#http2 = this.#makeHttp2();
    this.#front = this.#makeFront();
  }

  /** @returns the port listened on @throws what `net.Server` says when it can't be */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#front.once('error', reject);
      this.#front.listen({ port, host, backlog: 1024 }, () => {
        this.#front.off('error', reject);
        this.#front.on('error', (error) => this.#options.onFault?.(error));
        const address = this.#front.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  /** Takes no further connections, and closes those without a request. */
  closeIdle(): void {
    if (this.#front.listening) this.#front.close();
    this.#http1.closeIdleConnections();
    for (const session of this.#sessions) session.close();
  }

  /** Closes everything. */
  async close(): Promise<void> {
    const closed = this.#front.listening
      ? new Promise<void>((resolve) => this.#front.close(() => resolve()))
      : Promise.resolve();
    this.#http1.close();
    for (const session of this.#sessions) session.destroy();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #makeHttp1(): Http1Server {
    const { handler, headersMs, idleMs, onFault } = this.#options;
    const server = createHttp1({
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: headersMs,
      // Bodies have deadlines of their own, by their size.
      requestTimeout: 0,
      keepAliveTimeout: idleMs,
      connectionsCheckingInterval: Math.min(headersMs, 5000),
    });
    server.on('request', handler);
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      onFault?.(error);
      if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy();
      const status =
        error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
        socket.destroy(),
      );
    });
    // The server never listens itself, but this is where it starts to look after the time that headers take.
    server.emit('listening');
    return server;
  }

  #makeHttp2(): Http2Server {
    const { handler, idleMs, onFault } = this.#options;
    const server = createHttp2({
      maxHeaderListPairs: 200,
      settings: { maxConcurrentStreams: MAX_STREAMS_PER_CONNECTION, initialWindowSize: 1024 * 1024 },
    });
    server.on('request', handler);
    server.on('sessionError', (error: Error) => onFault?.(error));
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      session.on('error', (error) => onFault?.(error));
      // Only counts while nothing at all moves: streams heartbeat.
      session.setTimeout(idleMs, () => session.close());
    });
    return server;
  }

  #makeFront(): TcpServer {
    const { tls, onFault } = this.#options;
    const options = {
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
      allowHalfOpen: true,
    };
    if (!tls) return createTcp(options, (socket) => this.#accept(socket));
    const server = createTls({
      ...options,
      ...tls,
      ALPNProtocols: ['h2', 'http/1.1'],
      handshakeTimeout: this.#options.headersMs,
    });
    server.on('secureConnection', (socket) => this.#accept(socket));
    server.on('tlsClientError', (error) => onFault?.(error));
    return server;
  }

  #accept(socket: Socket | TLSSocket): void {
    this.#sockets.add(socket);
    socket.on('close', this.#forget);
    socket.on('error', this.#failed);
    peekProtocol(socket, this.#options.headersMs, (protocol) => {
      (protocol === 'h2' ? this.#http2 : this.#http1).emit('connection', socket);
    });
  }
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** No request of HTTP/1.1 begins like this. */
const TELLING_BYTES = 4;

/**
 * Waits for a connection's first bytes, puts them back, and tells which version of HTTP they are. A connection that
 * says too little for too long, or ends, is closed.
 */
function peekProtocol(socket: Socket, withinMs: number, found: (protocol: 'http1' | 'h2') => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), withinMs);
  const stop = () => {
    clearTimeout(timer);
    socket.off('readable', onReadable);
    socket.off('end', onEnd);
    socket.off('close', stop);
  };
  const onEnd = () => {
    stop();
    socket.destroy();
  };
  const onReadable = () => {
    for (let chunk: Buffer | null = socket.read(); chunk; chunk = socket.read()) {
      seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    }
    if (seen.length === 0) return;
    const length = Math.min(seen.length, TELLING_BYTES);
    const isPreface = seen.compare(PREFACE, 0, length, 0, length) === 0;
    if (isPreface && length < TELLING_BYTES) return;
    stop();
    socket.unshift(seen);
    found(isPreface ? 'h2' : 'http1');
  };
  socket.on('readable', onReadable);
  socket.on('end', onEnd);
  socket.on('close', stop);
}
