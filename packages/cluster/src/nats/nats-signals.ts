import type { SignalSubscription, Signals } from '@tandem/actor-core';
import type { NatsLink } from './nats-link.ts';
import { slimSubscription } from './slim-subscription.ts';

/** Signals as core messages of NATS. */
export class NatsSignals implements Signals {
  readonly #link: NatsLink;

  constructor(link: NatsLink) {
    this.#link = link;
  }

  get connected(): boolean {
    return this.#link.connected;
  }

  publish(subject: string, payload: Uint8Array): void {
    // What is published while disconnected would be sent much later, and say what is no longer true.
    if (this.connected) this.#link.connection.publish(subject, payload);
  }

  subscribe(subject: string, handler: (payload: Uint8Array) => void): SignalSubscription {
    const subscription = slimSubscription(
      this.#link.connection.subscribe(subject, {
        callback(error, message) {
          if (!error) handler(message.data);
        },
      }),
    );
    return { close: () => subscription.unsubscribe() };
  }
}
