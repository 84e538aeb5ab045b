const CR_LF = 2;

/** Counts the bytes of a chunked HTTP response's body, without looking at them. */
export class ChunkCounter {
  /** Undefined until the head has come. */
  status: number | undefined;
  bodyBytes = 0;
  #head = '';
  /** What is left of the chunk, its line end included. */
  #left = 0;
  #size = '';

  get headSeen(): boolean {
    return this.status !== undefined;
  }

  push(data: Buffer): void {
    let at = this.headSeen ? 0 : this.#takeHead(data);
    while (at < data.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, data.length - at);
        this.bodyBytes += Math.max(0, Math.min(taken, this.#left - CR_LF));
        this.#left -= taken;
        at += taken;
        continue;
      }
      const end = data.indexOf(10, at);
      if (end < 0) {
        this.#size += data.toString('latin1', at);
        return;
      }
      const size = Number.parseInt(this.#size + data.toString('latin1', at, end), 16);
      this.#size = '';
      this.#left = size + CR_LF;
      at = end + 1;
    }
  }

  /** @returns where the body begins */
  #takeHead(data: Buffer): number {
    const before = this.#head.length;
    this.#head += data.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n');
    if (end < 0) return data.length;
    this.status = Number(this.#head.slice(9, 12));
    this.#head = '';
    return end + 4 - before;
  }
}
