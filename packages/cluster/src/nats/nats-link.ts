import { connect, type Msg, type NatsConnection, type Status } from '@nats-io/transport-node';
import { LogUnavailable } from '@tandem/actor-core';
import type { NatsConfig } from '../config.ts';
import type { ClusterObserver } from '../observer.ts';
import { patiently } from './patiently.ts';
import { type InboxRequest, ReplyInbox } from './reply-inbox.ts';

/** Whoever has to know that messages may have been missed. */
export interface Interruptible {
  interrupted(): void;
}

/** The one connection of a service to NATS: knows whether it stands, and fails at once what waits when it breaks. */
export class NatsLink {
  readonly connection: NatsConnection;
  readonly #observer: ClusterObserver;
  readonly #inbox: ReplyInbox;
  readonly #interrupted = new Set<Interruptible>();
  readonly #waiting = new Set<(error: Error) => void>();
  #connected = true;

  constructor(connection: NatsConnection, observer: ClusterObserver) {
    this.connection = connection;
    this.#observer = observer;
    this.#inbox = new ReplyInbox(connection);
    void this.#watch();
  }

  get connected(): boolean {
    return this.#connected && !this.connection.isClosed() && !this.connection.isDraining();
  }

  /** The version of the server that it is connected to. */
  get serverVersion(): string {
    return this.connection.info?.version ?? '0.0.0';
  }

  /** Sends a request. @throws LogUnavailable when the connection is down, breaks or nobody answers in time */
  async request(subject: string, payload: Uint8Array | string, options: InboxRequest): Promise<Msg> {
    if (!this.connected) throw new LogUnavailable();
    try {
      return await this.#inbox.request(subject, payload, options);
    } catch (error) {
      throw error instanceof LogUnavailable ? error : new LogUnavailable(error);
    }
  }

  /** Runs what needs the connection; whatever it throws becomes LogUnavailable. @throws LogUnavailable */
  async whileConnected<Result>(run: () => Promise<Result>): Promise<Result> {
    if (!this.connected) throw new LogUnavailable();
    let broken: ((error: Error) => void) | undefined;
    try {
      return await new Promise<Result>((resolve, reject) => {
        broken = reject;
        this.#waiting.add(reject);
        run().then(resolve, reject);
      });
    } catch (error) {
      throw error instanceof LogUnavailable ? error : new LogUnavailable(error);
    } finally {
      if (broken) this.#waiting.delete(broken);
    }
  }

  /** Tells `whom` from now on whenever messages may have been missed, until it is forgotten. */
  onInterrupted(whom: Interruptible): void {
    this.#interrupted.add(whom);
  }

  forget(whom: Interruptible): void {
    this.#interrupted.delete(whom);
  }

  /** Sends what is outstanding and ends. */
  async close(): Promise<void> {
    if (this.connection.isClosed()) return;
    if (this.connected) await this.connection.drain();
    else await this.connection.close();
  }

  async #watch(): Promise<void> {
    for await (const status of this.connection.status()) this.#take(status);
    this.#lost();
  }

  #take(status: Status): void {
    switch (status.type) {
      case 'disconnect':
        this.#lost();
        this.#observer.disconnected?.('nats');
        return;
      case 'reconnect':
        this.#connected = true;
        this.#observer.reconnected?.('nats');
        for (const whom of this.#interrupted) whom.interrupted();
        return;
      case 'error':
        this.#observer.fault?.('nats', status.error);
        return;
    }
  }

  #lost(): void {
    this.#connected = false;
    const error = new LogUnavailable(new Error('the connection to NATS was lost'));
    this.#inbox.fail(error);
    for (const reject of this.#waiting) reject(error);
    this.#waiting.clear();
  }
}

/** Connects, patiently: engines may start later than we do. @throws EngineUnavailable after 30 s */
export async function openNatsLink(
  config: NatsConfig,
  service: string,
  observer: ClusterObserver,
): Promise<NatsLink> {
  const connectOnce = () =>
    connect({
      ...config.connection,
      servers: [...config.servers],
      name: service,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 100,
      reconnectJitter: 100,
      reconnectJitterTLS: 200,
      timeout: 5000,
      // A server that stands still is left after 10 s.
      pingInterval: 5000,
      maxPingOut: 2,
      noAsyncTraces: true,
    });
  return new NatsLink(await patiently(connectOnce, () => 'cannot connect to NATS'), observer);
}
