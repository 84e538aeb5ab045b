import { TandemError } from '@tandem/errors';
import { Reader } from '../reader/reader.ts';
import type { ReaderDeps, ReaderEnd, ReaderRequest, Sink } from '../reader/reader-types.ts';

/** All readers of a gateway. */
export class Streams {
  readonly #deps: ReaderDeps;
  readonly #maxStreams: number;
  readonly #open = new Set<Reader>();
  #draining = false;

  constructor(deps: ReaderDeps, maxStreams: number) {
    this.#deps = deps;
    this.#maxStreams = maxStreams;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Refuses a further stream, if it must. @throws TandemError draining, concurrency_limit */
  admit(): void {
    if (this.#draining) throw new TandemError('draining');
    if (this.#open.size >= this.#maxStreams) {
      throw new TandemError('concurrency_limit', { title: 'The server has too many open streams.' });
    }
  }

  /** Begins to read for a client. */
  open(request: ReaderRequest, sink: Sink): Reader {
    const reader = new Reader(this.#deps, request, sink);
    this.#open.add(reader);
    void reader.done.then((_end: ReaderEnd) => this.#open.delete(reader));
    reader.start();
    return reader;
  }

  /** No new streams from now on. */
  refuse(): void {
    this.#draining = true;
  }

  /** Ends all streams cleanly. */
  async drain(): Promise<void> {
    this.refuse();
    await Promise.all([...this.#open].map((reader) => reader.drain()));
  }
}
