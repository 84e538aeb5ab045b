import { encodePresence, presenceSubject, type Signals, type TurnKey } from '@tandem/actor-core';

/** Announces one reader to the actor of its turn. Kept small: there is one for each open stream. */
export class Presence {
  readonly #signals: Signals;
  readonly #key: TurnKey;
  readonly #readerId: string;
  readonly #requestId: string;

  constructor(signals: Signals, key: TurnKey, readerId: string, requestId: string) {
    this.#signals = signals;
    this.#key = key;
    this.#readerId = readerId;
    this.#requestId = requestId;
  }

  here(): void {
    this.#announce(false);
  }

  /** The gateway ended the response; the client may be back. */
  leaving(): void {
    this.#announce(true);
  }

  #announce(leaving: boolean): void {
    const presence = encodePresence({ readerId: this.#readerId, requestId: this.#requestId, leaving });
    this.#signals.publish(presenceSubject(this.#key), presence);
  }
}
