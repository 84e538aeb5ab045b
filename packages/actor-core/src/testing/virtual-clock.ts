import type { Clock, Timer } from '../ports/clock.ts';

interface Due {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

const nextTurn = setImmediate;

/** Time that passes only when told. Timers due at the same time run in the order they were set. */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  /** A binary heap, soonest first. */
  readonly #heap: Due[] = [];

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): Timer {
    const due: Due = { at: this.#now + Math.max(0, ms), order: this.#order++, run, cancelled: false };
    this.#insert(due);
    return {
      cancel: () => {
        due.cancelled = true;
      },
    };
  }

  /** How long until the next timer, milliseconds; undefined when none is set. */
  untilNext(): number | undefined {
    this.#dropCancelled();
    const next = this.#heap[0];
    return next && next.at - this.#now;
  }

  /** Lets `ms` pass: runs what falls due, in order, and after each timer everything that promises set off. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    for (;;) {
      const wait = this.untilNext();
      if (wait === undefined || this.#now + wait > end) break;
      const due = this.#removeFirst();
      this.#now = due.at;
      due.run();
      await this.settle();
    }
    this.#now = end;
  }

  /**
   * Lets time pass until `done` answers true.
   * @throws when it does not within `limitMs`, or when nothing is left that could change it
   */
  async advanceUntil(done: () => boolean, limitMs: number): Promise<void> {
    const end = this.#now + limitMs;
    await this.settle();
    while (!done()) {
      const wait = this.untilNext();
      if (wait === undefined || this.#now + wait > end) throw new Error('the awaited state was not reached');
      await this.advance(wait);
    }
  }

  /** Lets everything run that waits for promises only. */
  async settle(): Promise<void> {
    await new Promise((resolve) => nextTurn(resolve));
  }

  #dropCancelled(): void {
    while (this.#heap[0]?.cancelled) this.#removeFirst();
  }

  #insert(due: Due): void {
    const heap = this.#heap;
    let hole = heap.length;
    for (
      let parent = (hole - 1) >> 1;
      hole > 0 && before(due, heap[parent] as Due);
      parent = (hole - 1) >> 1
    ) {
      heap[hole] = heap[parent] as Due;
      hole = parent;
    }
    heap[hole] = due;
  }

  #removeFirst(): Due {
    const heap = this.#heap;
    const first = heap[0] as Due;
    const last = heap.pop() as Due;
    if (heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(due: Due): void {
    const heap = this.#heap;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as Due, heap[child] as Due)) child += 1;
      if (before(due, heap[child] as Due)) break;
      heap[hole] = heap[child] as Due;
      hole = child;
    }
    heap[hole] = due;
  }
}

function before(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
