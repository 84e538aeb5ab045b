import type { SignalSubscription, Signals } from '@tandem/actor-core';
import type { Nats } from './nats.ts';
import type { Network } from './network.ts';
import type { Process } from './process.ts';

/** Signals as one process sends and hears them. */
export class SimSignals implements Signals {
  /** Whether the process knows of a lost connection. */
  connected = true;
  readonly #net: Network;
  readonly #nats: Nats;
  readonly #process: Process;

  constructor(net: Network, nats: Nats, process: Process) {
    this.#net = net;
    this.#nats = nats;
    this.#process = process;
  }

  publish(subject: string, payload: Uint8Array): void {
    const copy = payload.slice();
    this.#net.send(this.#process, this.#nats, () => {
      if (!this.#nats.up) return;
      for (const deliver of this.#nats.signals.get(subject) ?? []) deliver(copy);
    });
  }

  subscribe(subject: string, handler: (payload: Uint8Array) => void): SignalSubscription {
    let open = true;
    const deliver = (payload: Uint8Array) =>
      this.#net.send(this.#nats, this.#process, () => {
        if (open) handler(payload);
      });
    const subscribers = this.#nats.signals.get(subject) ?? new Set();
    this.#nats.signals.set(subject, subscribers.add(deliver));
    const close = () => {
      open = false;
      subscribers.delete(deliver);
    };
    this.#process.onDeath(close);
    return { close };
  }
}
