import type { Response } from './exchange.ts';

/** Counts requests that are being answered, so that a gateway that ends can let them finish. */
export class InFlight {
  #count = 0;
  #idle: (() => void)[] = [];
  readonly #over = () => {
    this.#count -= 1;
    if (this.#count === 0) for (const resolve of this.#idle.splice(0)) resolve();
  };

  get count(): number {
    return this.#count;
  }

  /** Counts a request until its response has ended, however. */
  add(response: Response): void {
    this.#count += 1;
    response.on('close', this.#over);
  }

  /** Resolves when nothing is being answered. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}
