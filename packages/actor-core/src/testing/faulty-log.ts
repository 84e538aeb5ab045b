import { sleep } from '@tandem/errors';
import type { MemoryLog } from '../memory/memory-log.ts';
import type { LiveHandler, Log, LogRecord, LogSubscription } from '../ports/log.ts';
import { LogUnavailable } from '../ports/log-errors.ts';
import { seededEntropy } from './seeded-entropy.ts';
import type { VirtualClock } from './virtual-clock.ts';

export interface Faults {
  /** Chances, 0 to 1. */
  readonly lag: number;
  readonly drop: number;
  readonly repeat: number;
  readonly interrupt: number;
  readonly fail: number;
  readonly maxDelayMs: number;
}

/** For tests: a log as an unlucky reader sees it. Until `calm`, calls are slow, fail, lag; live records come late or never. */
export class FaultyLog implements Log {
  readonly maxRecordBytes: number;
  readonly #log: MemoryLog;
  readonly #clock: VirtualClock;
  readonly #random: () => number;
  readonly #faults: Faults;
  readonly #pulse: ((sequence: number) => void) | undefined;
  subscriptions = 0;
  calm = false;

  constructor(
    log: MemoryLog,
    clock: VirtualClock,
    seed: number,
    faults: Faults,
    pulse?: (sequence: number) => void,
  ) {
    this.#log = log;
    this.#clock = clock;
    this.#random = seededEntropy(seed).random;
    this.#faults = faults;
    this.#pulse = pulse;
    this.maxRecordBytes = log.maxRecordBytes;
  }

  append: Log['append'] = (...args) => this.#log.append(...args);
  purge: Log['purge'] = (...args) => this.#log.purge(...args);
  fullness: Log['fullness'] = (subject) => this.#log.fullness(subject);

  async last(subject: string): Promise<LogRecord | undefined> {
    await this.#slow();
    const last = await this.#log.last(subject);
    await this.#slow();
    return last;
  }

  async read(subject: string, after: number, limit: number): Promise<LogRecord[]> {
    await this.#slow();
    const page = await this.#log.read(subject, after, 1 + Math.floor(this.#random() * limit));
    const shown = this.#happens(this.#faults.lag) ? Math.floor(this.#random() * page.length) : page.length;
    await this.#slow();
    return page.slice(0, shown);
  }

  async subscribe(subject: string, handler: LiveHandler): Promise<LogSubscription> {
    await this.#slow();
    this.subscriptions += 1;
    let lastDelivery = 0;
    const inner = await this.#log.subscribe(subject, {
      interrupted: () => handler.interrupted(),
      record: (record) => {
        if (this.#happens(this.#faults.interrupt))
          this.#clock.after(this.#delay(), () => handler.interrupted());
        if (this.#happens(this.#faults.drop)) {
          // Something tells of what was lost: an interruption, or a pulse.
          if (this.#pulse && this.#random() < 0.5)
            this.#clock.after(this.#delay(), () => this.#pulse?.(record.sequence));
          else this.#clock.after(this.#delay(), () => handler.interrupted());
          return;
        }
        // Late, but never out of order.
        lastDelivery = Math.max(lastDelivery, this.#clock.now() + this.#delay());
        const copies = this.#happens(this.#faults.repeat) ? 2 : 1;
        for (let copy = 0; copy < copies; copy++) {
          this.#clock.after(lastDelivery - this.#clock.now(), () => handler.record(record));
        }
      },
    });
    return {
      close: () => {
        this.subscriptions -= 1;
        inner.close();
      },
    };
  }

  #happens(chance: number): boolean {
    return !this.calm && this.#random() < chance;
  }

  #delay(): number {
    return this.calm ? 0 : Math.floor(this.#random() * this.#faults.maxDelayMs);
  }

  async #slow(): Promise<void> {
    const ms = this.#delay();
    if (ms > 0) await sleep(this.#clock, ms);
    if (this.#happens(this.#faults.fail)) throw new LogUnavailable();
  }
}
