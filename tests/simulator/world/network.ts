import type { Clock } from '@tandem/actor-core';
import type { History } from './history.ts';
import type { Party } from './process.ts';
import type { Random } from './random.ts';

/** How bad the network is. Chances are 0 to 1, times milliseconds. */
export interface Weather {
  readonly maxDelayMs: number;
  readonly loss: number;
  readonly repeat: number;
  /** The chance of a message to be very late, and how late it is at most. */
  readonly late: number;
  readonly lateMs: number;
}

export const CALM: Weather = { maxDelayMs: 2, loss: 0, repeat: 0, late: 0, lateMs: 0 };

/** `cut`: what is sent meanwhile is lost; `held`: it arrives once the partition is over. */
export type PartitionMode = 'cut' | 'held';

interface Partition {
  readonly mode: PartitionMode;
  readonly held: (() => void)[];
  /** How many that overlap have begun and not ended. */
  count: number;
}

/** Carries messages between parties: late, out of order, twice or never. */
export class Network {
  weather: Weather = CALM;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #history: History;
  readonly #partitions = new Map<string, Partition>();

  constructor(clock: Clock, random: Random, history: History) {
    this.#clock = clock;
    this.#random = random;
    this.#history = history;
  }

  /** Sends a datagram: it may be lost, repeated, overtaken. */
  send(from: Party, to: Party, event: () => void): void {
    const { loss, repeat } = this.weather;
    if (this.#random.chance(loss)) {
      this.#history.count('fault: message lost');
      return;
    }
    this.#carry(from, to, event, this.#delay());
    if (!this.#random.chance(repeat)) return;
    this.#history.count('fault: message repeated');
    this.#carry(from, to, event, this.#delay());
  }

  /** A connection's one direction: in order, nothing lost unless the parties are cut off from each other. */
  channel(from: Party, to: Party): (event: () => void) => void {
    let last = 0;
    return (event) => {
      last = Math.max(last, this.#clock.now() + this.#delay());
      this.#carry(from, to, event, last - this.#clock.now());
    };
  }

  partition(a: string, b: string, mode: PartitionMode): void {
    const known = this.#partitions.get(pair(a, b));
    if (known) known.count += 1;
    else this.#partitions.set(pair(a, b), { mode, held: [], count: 1 });
  }

  heal(a: string, b: string): void {
    const partition = this.#partitions.get(pair(a, b));
    if (!partition || --partition.count > 0) return;
    this.#partitions.delete(pair(a, b));
    for (const arrive of partition.held) this.#clock.after(1, arrive);
  }

  isCut(a: string, b: string): boolean {
    return this.#partitions.get(pair(a, b))?.mode === 'cut';
  }

  #carry(from: Party, to: Party, event: () => void, delayMs: number): void {
    const arrive = () => to.run(event);
    const partition = this.#partitions.get(pair(from.host, to.host));
    if (!partition) this.#clock.after(delayMs, arrive);
    else if (partition.mode === 'held') {
      this.#history.count('fault: message held');
      partition.held.push(arrive);
    } else this.#history.count('fault: message cut off');
  }

  #delay(): number {
    const { maxDelayMs, late, lateMs } = this.weather;
    if (this.#random.chance(late)) {
      this.#history.count('fault: message late');
      return this.#random.int(maxDelayMs, lateMs);
    }
    return this.#random.int(0, maxDelayMs);
  }
}

function pair(a: string, b: string): string {
  return a < b ? `${a}|${b}` : `${b}|${a}`;
}
