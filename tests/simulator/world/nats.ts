import {
  type AppendOptions,
  type Clock,
  LogFull,
  type LogRecord,
  LogUnavailable,
  type Part,
} from '@tandem/actor-core';
import { MemoryLog } from '@tandem/actor-core/memory';
import type { Engine } from './call.ts';
import type { History } from './history.ts';
import type { Process } from './process.ts';

/** A record as it was stored, whatever was purged later. */
export interface StoredRecord extends LogRecord {
  readonly subject: string;
  /** The process that appended it. */
  readonly by: string;
}

/** What a process hears of the engine without asking. */
export interface Listener {
  readonly process: Process;
  /** The connection was lost and is there again. */
  reconnected(): void;
}

/** The engine of the logs and the signals. Remembers all that was ever stored. */
export class Nats implements Engine {
  readonly host = 'nats';
  readonly log: MemoryLog;
  readonly stored: StoredRecord[] = [];
  readonly purged: { readonly subject: string; readonly upTo: number }[] = [];
  readonly listeners = new Set<Listener>();
  readonly signals = new Map<string, Set<(payload: Uint8Array) => void>>();
  up = true;
  /** Without one nothing is stored, and nothing but lagging reads is answered. */
  hasLeader = true;
  full = false;
  /** How far behind the leader the replicas are that serve reads, milliseconds. */
  lagMs = 0;
  /** The chance that a subscriber does not get a record, without being told. */
  liveLoss = 0;
  /** How long a new subscription takes at most to be known wherever records are stored, milliseconds. */
  interestMs = 0;
  readonly #clock: Clock;
  readonly #history: History;

  constructor(clock: Clock, history: History, options: { maxRecordBytes: number }) {
    this.#clock = clock;
    this.#history = history;
    this.log = new MemoryLog({ clock, maxBytes: 4 * 1024 ** 3, ...options });
  }

  get now(): number {
    return this.#clock.now();
  }

  get answers() {
    if (!this.up) return 'deaf' as const;
    return this.hasLeader ? ('yes' as const) : ('refuses' as const);
  }

  run(event: () => void): void {
    event();
  }

  async append(by: string, subject: string, part: Part, payload: Uint8Array, options?: AppendOptions) {
    if (this.full) {
      this.#history.count('fault: store full');
      throw new LogFull();
    }
    try {
      const { sequence } = await this.log.append(subject, part, payload, options);
      const record = (await this.log.last(subject)) as LogRecord;
      this.stored.push({ ...record, subject, by });
      this.#history.note(
        'stored',
        `${sequence} ${subject} ${part.set} ${part.index + 1}/${part.count} by ${by}`,
      );
      return { sequence };
    } catch (error) {
      this.#history.count(`refused: ${(error as Error).name}`);
      throw error;
    }
  }

  async read(subject: string, after: number, limit: number): Promise<LogRecord[]> {
    const records = await this.log.read(subject, after, limit);
    const seenUntil = this.#clock.now() - this.lagMs;
    const seen = this.lagMs > 0 ? records.filter(({ time }) => time <= seenUntil) : records;
    if (seen.length < records.length) this.#history.count('fault: read lagged');
    return seen;
  }

  async purge(subject: string, upTo: number): Promise<void> {
    if (this.answers !== 'yes') throw new LogUnavailable();
    await this.log.purge(subject, upTo);
    this.purged.push({ subject, upTo });
    this.#history.note('purged', `${subject} up to ${upTo}`);
  }
}
