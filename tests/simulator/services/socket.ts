import type { Sink } from '@tandem/gateway';
import type { Network } from '../world/network.ts';
import type { Process } from '../world/process.ts';

/** What a client hears of its stream. */
export interface StreamEvents {
  bytes(chunk: Uint8Array): void;
  /** `end`: the response ended as responses do; `cut`: the connection broke. */
  over(how: 'end' | 'cut'): void;
}

/** The client's end of a stream. */
export interface Receiver extends StreamEvents {
  /** How long it takes over each chunk, milliseconds. */
  readonly readMs: number;
  /** The gateway has to wait for it. */
  full(): void;
}

/** How long TCP tries to deliver what is not acknowledged, before it tells its program (as Linux does by default). */
const TCP_TRIES_MS = 15 * 60_000;
/** Past so many bytes that the client has not read, a writer has to wait. */
const SOCKET_BYTES = 4 * 1024;

/** One HTTP exchange's connection between a client and a gateway; either's death breaks it. */
export class Socket {
  readonly client: Process;
  readonly gateway: Process;
  readonly toGateway: (event: () => void) => void;
  readonly toClient: (event: () => void) => void;
  readonly #onClientGone: (() => void)[] = [];
  readonly #onCut: (() => void)[] = [];
  #state: 'open' | 'broken' | 'closed' = 'open';

  constructor(net: Network, client: Process, gateway: Process) {
    this.client = client;
    this.gateway = gateway;
    const up = net.channel(client, gateway);
    const down = net.channel(gateway, client);
    const whole = (event: () => void) => () => {
      if (this.#state !== 'broken') event();
    };
    this.toGateway = (event) => up(whole(event));
    this.toClient = (event) => down(whole(event));
    gateway.onDeath(() => this.break(true));
    client.onDeath(() => this.clientGone());
  }

  get open(): boolean {
    return this.#state === 'open';
  }

  get broken(): boolean {
    return this.#state === 'broken';
  }

  /** Called in the gateway when the client closed its end, or died. */
  onClientGone(run: () => void): void {
    this.#onClientGone.push(run);
  }

  /** Called in the client when the connection broke. */
  onCut(run: () => void): void {
    this.#onCut.push(run);
  }

  /** The client closes the connection: the gateway hears of it behind all that was sent before. */
  clientGone(): void {
    if (this.#state !== 'open') return;
    this.#state = 'closed';
    this.toGateway(() => {
      for (const run of this.#onClientGone) run();
    });
  }

  /** The exchange is over in good order. */
  close(): void {
    if (this.#state === 'open') this.#state = 'closed';
  }

  /** @param told whether both hear of it (a reset), or only a gateway that goes on writing, after long */
  break(told: boolean): void {
    if (this.#state !== 'open') return;
    this.#state = 'broken';
    this.gateway.clock.after(told ? 1 : TCP_TRIES_MS, () => {
      for (const run of this.#onClientGone) run();
    });
    if (!told) return;
    this.client.clock.after(1, () => {
      for (const run of this.#onCut) run();
    });
  }
}

/** A response as the gateway's reader writes it. */
export class SocketSink implements Sink {
  readonly #socket: Socket;
  readonly #receiver: Receiver;
  #unread = 0;
  /** What has arrived at a client that takes its time, and is not read. */
  readonly #arrived: (() => void)[] = [];
  #gone = false;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(socket: Socket, receiver: Receiver) {
    this.#socket = socket;
    this.#receiver = receiver;
    socket.onClientGone(() => {
      this.#gone = true;
      this.#room?.resolve();
    });
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#gone) return undefined;
    this.#unread += bytes.length;
    this.#whenRead(() => {
      this.#receiver.bytes(bytes);
      this.#socket.toGateway(() => this.#read(bytes.length));
    });
    if (this.#unread <= SOCKET_BYTES) return undefined;
    this.#receiver.full();
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  async flushed(): Promise<boolean> {
    if (this.#unread > SOCKET_BYTES && !this.#gone) {
      this.#room ??= Promise.withResolvers();
      await this.#room.promise;
    }
    return !this.#gone;
  }

  async end(confirm: boolean): Promise<boolean> {
    if (this.#gone) return false;
    return new Promise((resolve) => {
      const gone = () => resolve(false);
      this.#socket.onClientGone(gone);
      this.#whenRead(() => {
        this.#receiver.over('end');
        // The client's own end of the connection follows; it says that all was read.
        this.#socket.toGateway(() => resolve(confirm));
      });
      if (!confirm) resolve(false);
    });
  }

  destroy(): void {
    this.#socket.break(true);
  }

  /** Once the client has read all that was written before, and takes up this. */
  #whenRead(run: () => void): void {
    this.#socket.toClient(() => {
      if (this.#receiver.readMs === 0) run();
      else if (this.#arrived.push(run) === 1) this.#readNext();
    });
  }

  #readNext(): void {
    this.#socket.client.clock.after(this.#receiver.readMs, () => {
      if (this.#socket.broken) return;
      this.#arrived[0]?.();
      this.#arrived.shift();
      if (this.#arrived.length > 0) this.#readNext();
    });
  }

  #read(bytes: number): void {
    this.#unread -= bytes;
    if (this.#unread > SOCKET_BYTES || !this.#room) return;
    this.#room.resolve();
    this.#room = undefined;
  }
}
