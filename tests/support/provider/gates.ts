/** Named places at which an answer waits. A gate that was released stays open. */
export class Gates {
  readonly #gates = new Map<
    string,
    { reached: PromiseWithResolvers<void>; open: PromiseWithResolvers<void> }
  >();

  /** Tells that an answer has come here, and waits until it may go on. */
  hold(name: string): Promise<void> {
    const gate = this.#gate(name);
    gate.reached.resolve();
    return gate.open.promise;
  }

  /** Resolves when an answer has come to this place. */
  held(name: string): Promise<void> {
    return this.#gate(name).reached.promise;
  }

  release(name: string): void {
    this.#gate(name).open.resolve();
  }

  releaseAll(): void {
    for (const gate of this.#gates.values()) gate.open.resolve();
    this.#gates.clear();
  }

  #gate(name: string) {
    let gate = this.#gates.get(name);
    if (!gate) {
      gate = { reached: Promise.withResolvers(), open: Promise.withResolvers() };
      this.#gates.set(name, gate);
    }
    return gate;
  }
}
