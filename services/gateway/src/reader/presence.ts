import { encodePresence, presenceSubject, type Signals, type TurnKey } from '@tandem/actor-core';

/** Announces one reader to the actor of its turn. */
export class Presence {
  readonly #signals: Signals;
  readonly #subject: string;
  readonly #reader: { readonly readerId: string; readonly requestId: string };

  constructor(signals: Signals, key: TurnKey, readerId: string, requestId: string) {
    this.#signals = signals;
    this.#subject = presenceSubject(key);
    this.#reader = { readerId, requestId };
  }

  here(): void {
    this.#signals.publish(this.#subject, encodePresence({ ...this.#reader, leaving: false }));
  }

  /** The gateway ended the response; the client may be back. */
  leaving(): void {
    this.#signals.publish(this.#subject, encodePresence({ ...this.#reader, leaving: true }));
  }
}
