/** Gives back a slot; more than one call is harmless. */
export type Release = () => void;

/**
 * Bounds how many model calls run at once in this process. Runs that wait for a client or a user hold none, so nested
 * runs and takeovers never queue behind turns that wait for them.
 */
export class ModelSlots {
  readonly #limit: number;
  #taken = 0;
  readonly #waiting: { readonly give: (release: Release) => void; readonly signal: AbortSignal }[] = [];

  /** @param limit most slots taken at a time */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Waits for a slot, first come first served; undefined when the signal aborts before there is one. */
  async take(signal: AbortSignal): Promise<Release | undefined> {
    if (signal.aborted) return undefined;
    if (this.#taken < this.#limit) return this.#give();
    return await new Promise((resolve) => {
      const entry = { give: resolve, signal };
      this.#waiting.push(entry);
      signal.addEventListener(
        'abort',
        () => {
          const index = this.#waiting.indexOf(entry);
          if (index >= 0) this.#waiting.splice(index, 1);
          resolve(undefined);
        },
        { once: true },
      );
    });
  }

  #give(): Release {
    this.#taken += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#taken -= 1;
      const next = this.#waiting.shift();
      next?.give(this.#give());
    };
  }
}
