import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';

export interface InboxRequest {
  readonly headers?: MsgHdrs;
  /** How long the answer is waited for, milliseconds. */
  readonly timeout: number;
}

interface Waiting {
  readonly resolve: (message: Msg) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Requests whose answers all come to one inbox. The library's own way makes an error, stack and all, for each request that
 * is answered well, which costs more than the rest of the request.
 */
export class ReplyInbox {
  readonly #connection: NatsConnection;
  readonly #prefix = `${createInbox()}.`;
  readonly #waiting = new Map<string, Waiting>();
  #subscribed = false;
  #requests = 0;

  constructor(connection: NatsConnection) {
    this.#connection = connection;
  }

  /** Sends a request. Rejects when nobody answers in time, nobody is there to, or it can't be sent. */
  request(subject: string, payload: Uint8Array | string, { headers, timeout }: InboxRequest): Promise<Msg> {
    return new Promise((resolve, reject) => {
      this.#subscribe();
      const reply = `${this.#prefix}${++this.#requests}`;
      const timer = setTimeout(() => this.#take(reply)?.reject(new Error('no answer in time')), timeout);
      this.#waiting.set(reply, { resolve, reject, timer });
      try {
        this.#connection.publish(subject, payload, { reply, headers });
      } catch (error) {
        this.#take(reply)?.reject(error as Error);
      }
    });
  }

  /** Gives up all that is waited for. */
  fail(error: Error): void {
    for (const reply of [...this.#waiting.keys()]) this.#take(reply)?.reject(error);
  }

  #subscribe(): void {
    if (this.#subscribed) return;
    this.#subscribed = true;
    this.#connection.subscribe(`${this.#prefix}*`, {
      callback: (error, message) => {
        if (!error) this.#answer(message);
      },
    });
  }

  #answer(message: Msg): void {
    const waiting = this.#take(message.subject);
    if (!waiting) return;
    const nobody = message.data.length === 0 && message.headers?.code === 503;
    if (nobody) waiting.reject(new Error('nobody is there to answer'));
    else waiting.resolve(message);
  }

  #take(reply: string): Waiting | undefined {
    const waiting = this.#waiting.get(reply);
    if (!waiting) return undefined;
    this.#waiting.delete(reply);
    clearTimeout(waiting.timer);
    return waiting;
  }
}
