import { createHash } from 'node:crypto';
import type { Clock } from '@tandem/actor-core';

/** What happened in a run: counted, hashed (two runs of a seed must agree), and kept as text when it is to be read. */
export class History {
  readonly counts = new Map<string, number>();
  readonly lines: string[] = [];
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #keep: boolean;
  readonly #hash = createHash('sha256');

  constructor(clock: Clock, keep: boolean) {
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#keep = keep;
  }

  /** Milliseconds since the run began. */
  get now(): number {
    return this.#clock.now() - this.#startedAt;
  }

  /** Notes something, and counts it under its first word or words. */
  note(kind: string, detail = ''): void {
    this.count(kind);
    const line = `${this.now} ${kind} ${detail}\n`;
    this.#hash.update(line);
    if (this.#keep)
      this.lines.push(`${(this.now / 1000).toFixed(3).padStart(9)}  ${kind} ${detail}`.trimEnd());
  }

  count(kind: string, by = 1): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + by);
  }

  /** Of all that was noted so far. */
  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }
}
