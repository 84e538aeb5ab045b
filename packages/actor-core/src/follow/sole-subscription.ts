import type { LiveHandler, Log, LogSubscription } from '../ports/log.ts';

/** A subscription that can be given up and put in place anew: what a former one still tells is not heard. */
export class SoleSubscription {
  readonly #log: Log;
  readonly #subject: string;
  readonly #handler: LiveHandler;
  #current: LogSubscription | undefined;
  /** Counts subscriptions, so that a late call of an old one is known as such. */
  #count = 0;

  constructor(log: Log, subject: string, handler: LiveHandler) {
    this.#log = log;
    this.#subject = subject;
    this.#handler = handler;
  }

  get inPlace(): boolean {
    return this.#current !== undefined;
  }

  async subscribe(): Promise<void> {
    const number = ++this.#count;
    const isCurrent = () => number === this.#count;
    const subscription = await this.#log.subscribe(this.#subject, {
      record: (record) => {
        if (isCurrent()) this.#handler.record(record);
      },
      interrupted: () => {
        if (isCurrent()) this.#handler.interrupted();
      },
    });
    if (isCurrent()) this.#current = subscription;
    else subscription.close();
  }

  giveUp(): void {
    this.#count += 1;
    this.#current?.close();
    this.#current = undefined;
  }
}
