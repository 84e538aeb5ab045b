import { encodePresence, presenceSubject, type Signals, type TurnKey } from '@tandem/actor-core';

/** Announces one reader to the actor of its turn. */
export class Presence {
  readonly #signals: Signals;
  readonly #subject: string;
  readonly #here: Uint8Array;
  readonly #leaving: Uint8Array;

  constructor(signals: Signals, key: TurnKey, readerId: string, requestId: string) {
    this.#signals = signals;
    this.#subject = presenceSubject(key);
    this.#here = encodePresence({ readerId, requestId, leaving: false });
    this.#leaving = encodePresence({ readerId, requestId, leaving: true });
  }

  here(): void {
    this.#signals.publish(this.#subject, this.#here);
  }

  /** The gateway ended the response; the client may be back. */
  leaving(): void {
    this.#signals.publish(this.#subject, this.#leaving);
  }
}
