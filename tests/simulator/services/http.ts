import { TandemError } from '@tandem/errors';
import type { History } from '../world/history.ts';
import type { Network } from '../world/network.ts';
import type { Process } from '../world/process.ts';
import type { Random } from '../world/random.ts';
import type { RequestNames, SimGateway } from './gateway.ts';
import { type Receiver, Socket, type StreamEvents } from './socket.ts';

/** Why a client's request failed, as far as a client can tell. */
export class HttpFault extends Error {
  override readonly name = 'HttpFault';
  readonly kind: 'refused' | 'cut' | 'status';
  /** Of a status: what the server said. */
  readonly error: TandemError | undefined;

  constructor(kind: HttpFault['kind'], error?: TandemError) {
    super(error ? `${kind}: ${error.reason}` : kind);
    this.kind = kind;
    this.error = error;
  }
}

export interface AppendOptions {
  readonly names: RequestNames;
  readonly seqno: number;
  readonly message: Uint8Array;
  /** How long the body takes to arrive. */
  readonly uploadMs: number;
  /** A proxy on the way sends it a second time, to any gateway. */
  readonly repeated: boolean;
  /** The client gives up waiting. */
  readonly signal: AbortSignal | undefined;
}

const REFUSED_MS = 5;

/** The way from clients to gateways: a balancer that sends each request to any of them. */
export class Http {
  readonly #net: Network;
  readonly #random: Random;
  readonly #history: History;
  readonly #gateways: () => readonly (SimGateway | undefined)[];
  readonly #sockets = new Set<Socket>();

  constructor(
    net: Network,
    random: Random,
    history: History,
    gateways: () => readonly (SimGateway | undefined)[],
  ) {
    this.#net = net;
    this.#random = random;
    this.#history = history;
    this.#gateways = gateways;
  }

  /** Breaks what is open between the two. @param told whether they hear of it, by chance of each connection */
  breakSockets(client: string, gateway: string, told: number): void {
    for (const socket of this.#sockets) {
      if (!socket.open) this.#sockets.delete(socket);
      else if (socket.client.host === client && socket.gateway.host === gateway) {
        socket.break(this.#random.chance(told));
      }
    }
  }

  /** Sends an append. Resolves when it is answered. @throws HttpFault; the signal's reason */
  append(client: Process, options: AppendOptions): Promise<void> {
    const { names, seqno, message, uploadMs, repeated, signal } = options;
    if (repeated) this.#repeat(client, options);
    return new Promise((resolve, reject) => {
      let settled = false;
      let socket: Socket | undefined;
      const settle = (how: () => void) => {
        if (settled) return;
        settled = true;
        socket?.close();
        how();
      };
      const fail = (kind: HttpFault['kind'], error?: TandemError) =>
        settle(() => reject(new HttpFault(kind, error)));
      signal?.addEventListener('abort', () => settle(() => reject(signal.reason)), { once: true });
      const gateway = this.#random.pick(this.#gateways());
      if (!gateway?.accepts) {
        client.clock.after(REFUSED_MS, () => fail('refused'));
        return;
      }
      const opened = this.#connect(client, gateway);
      socket = opened;
      opened.onCut(() => fail('cut'));
      client.clock.after(uploadMs, () =>
        opened.toGateway(() => {
          gateway.append(names, seqno, message).then(
            () => opened.toClient(() => settle(resolve)),
            (error) => opened.toClient(() => fail('status', TandemError.from(error))),
          );
        }),
      );
    });
  }

  /**
   * Opens a stream. What comes of it is told to `events`, after which `over` is told once (unless the connection is
   * dead without anyone knowing).
   */
  open(
    client: Process,
    names: RequestNames,
    options: { received: number; readMs: number },
    events: StreamEvents,
  ): { close(): void } {
    const { received, readMs } = options;
    const gateway = this.#random.pick(this.#gateways());
    if (!gateway?.accepts) {
      const timer = client.clock.after(REFUSED_MS, () => events.over('cut'));
      return { close: () => timer.cancel() };
    }
    const socket = this.#connect(client, gateway);
    this.#history.note('stream', `${names.requestId} ${client.name} at ${gateway.process.name}`);
    let over = false;
    const once = (how: 'end' | 'cut') => {
      if (over) return;
      over = true;
      socket.close();
      events.over(how);
    };
    socket.onCut(() => once('cut'));
    const receiver: Receiver = {
      bytes: (chunk) => !over && events.bytes(chunk),
      over: once,
      readMs,
      full: () => this.#history.count('measured: a full socket'),
    };
    socket.toGateway(() => gateway.open(names, received, socket, receiver));
    return {
      close: () => {
        over = true;
        socket.clientGone();
      },
    };
  }

  #connect(client: Process, gateway: SimGateway): Socket {
    const socket = new Socket(this.#net, client, gateway.process);
    if (this.#net.isCut(client.host, gateway.process.host)) socket.break(false);
    this.#sockets.add(socket);
    return socket;
  }

  #repeat(client: Process, { names, seqno, message, uploadMs }: AppendOptions): void {
    const gateway = this.#random.pick(this.#gateways());
    if (!gateway?.accepts) return;
    this.#history.count('fault: append repeated');
    const socket = this.#connect(client, gateway);
    client.clock.after(uploadMs + this.#random.int(0, 500), () =>
      socket.toGateway(() => void gateway.append(names, seqno, message).catch(() => {})),
    );
  }
}
