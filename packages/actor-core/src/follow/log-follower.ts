import { Backoff, type Pace, type Pause, pause } from '@tandem/errors';
import type { Clock, Entropy, Timer } from '../ports/clock.ts';
import type { Log, LogRecord, LogSubscription } from '../ports/log.ts';
import { Delivery, HandlerFailure } from './delivery.ts';
import type { Follower, FollowHandler, FollowOptions } from './follow.ts';
import { LiveBuffer } from './live-buffer.ts';

const PAGE_RECORDS = 256;
/** After a subscription was put in place or broken, the leader is asked a second time, so much later. */
const SECOND_LOOK_MS = 100;
const LAG_PACE = { firstMs: 2, maxMs: 500 };
const FAULT_PACE = { firstMs: 50, maxMs: 2000 };
/** A replica that does not show a record for so long may be right: it may have been purged. */
const DOUBT_AFTER_MS = 1000;

/** See `follow`. One loop, `#pump`, does everything that waits; a live record that fits goes straight through. */
export class LogFollower implements Follower {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #entropy: Pick<Entropy, 'random'> | undefined;
  readonly #subject: string;
  readonly #handler: FollowHandler;
  readonly #delivery: Delivery;
  readonly #buffer: LiveBuffer;
  readonly #backlogLikely: boolean;
  readonly caughtUp: Promise<void>;
  /** The log is known to reach this far. */
  #target = 0;
  #subscription: LogSubscription | undefined;
  /** Counts subscriptions, so that a late call of an old one is known as such. */
  #subscriptions = 0;
  #askLeader = false;
  /** When the leader's answer shows a backlog, it is asked again behind it. */
  #askBehindBacklog = false;
  #secondLook: Timer | 'due' | undefined;
  #pumping = false;
  #pausing: { readonly forLag: boolean; readonly pause: Pause } | undefined;
  #waiters: (() => void)[] = [];
  #closed = false;

  constructor(options: FollowOptions, subject: string, after: number, handler: FollowHandler) {
    this.#log = options.log;
    this.#clock = options.clock;
    this.#entropy = options.entropy;
    this.#subject = subject;
    this.#handler = handler;
    this.#delivery = new Delivery(options, after, handler);
    this.#buffer = new LiveBuffer(options.maxBufferedBytes ?? 64 * 1024);
    this.#backlogLikely = options.backlogLikely ?? false;
    this.caughtUp = this.#nextIdle();
  }

  get position(): number {
    return this.#delivery.position;
  }

  get resumeAfter(): number {
    return this.#delivery.resumeAfter;
  }

  start(): void {
    this.#wake();
  }

  expect(sequence: number): void {
    this.#target = Math.max(this.#target, sequence);
    if (sequence > this.position) this.#wake();
  }

  verify(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#askLeader = true;
    this.#wake();
    return this.#nextIdle();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe();
    if (typeof this.#secondLook === 'object') this.#secondLook.cancel();
    this.#pausing?.pause.cut();
    this.#settleWaiters();
  }

  #wake(): void {
    if (this.#pumping || this.#closed) return;
    this.#pumping = true;
    this.#pump().catch((error) => this.#end(error));
  }

  async #pump(): Promise<void> {
    let faults: Backoff | undefined;
    while (!this.#closed && !this.#idle()) {
      try {
        await this.#step();
        faults = undefined;
      } catch (error) {
        if (this.#closed || error instanceof HandlerFailure) throw error;
        this.#handler.failed?.(error, false);
        faults ??= this.#backoff(FAULT_PACE);
        await this.#pause(faults, false);
      }
    }
    this.#pumping = false;
    if (this.#closed) return;
    if (this.#secondLook === 'due') this.#lookAgainLater();
    this.#settleWaiters();
  }

  #idle(): boolean {
    return !!this.#subscription && !this.#askLeader && this.position >= this.#target && !this.#buffer.first();
  }

  /** What is known to be there is read before anything new is asked for. */
  async #step(): Promise<void> {
    await this.#drain();
    if (this.position < this.#target) await this.#readToTarget();
    else if (!this.#subscription) {
      this.#lookTwice();
      await this.#ask(this.#subscribe(), this.#backlogLikely);
    } else if (this.#askLeader) await this.#ask();
  }

  async #subscribe(): Promise<void> {
    const number = ++this.#subscriptions;
    const current = () => number === this.#subscriptions && !this.#closed;
    const subscription = await this.#log.subscribe(this.#subject, {
      record: (record) => {
        if (current()) this.#live(record);
      },
      interrupted: () => {
        if (current()) this.#interrupted();
      },
    });
    if (!current()) {
      subscription.close();
      return;
    }
    this.#subscription = subscription;
  }

  #unsubscribe(): void {
    this.#subscriptions += 1;
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#buffer.clear();
  }

  #interrupted(): void {
    this.#lookTwice();
    this.#pausing?.pause.cut();
    this.#wake();
  }

  #lookTwice(): void {
    this.#askLeader = true;
    this.#askBehindBacklog = true;
    if (typeof this.#secondLook === 'object') this.#secondLook.cancel();
    this.#secondLook = 'due';
  }

  #lookAgainLater(): void {
    this.#secondLook = this.#clock.after(SECOND_LOOK_MS, () => {
      this.#secondLook = undefined;
      this.#askLeader = true;
      this.#wake();
    });
  }

  #live(record: LogRecord): void {
    if (record.sequence <= this.position) return;
    if (!this.#pumping && this.#delivery.follows(record)) {
      this.#takeLive(record);
      return;
    }
    // Without room, what is lost is read from the log, and nothing more is sent meanwhile.
    if (!this.#buffer.add(record)) this.#unsubscribe();
    this.#target = Math.max(this.#target, record.sequence);
    if (this.#pausing?.forLag && this.#delivery.follows(record)) this.#pausing.pause.cut();
    this.#wake();
  }

  #takeLive(record: LogRecord): void {
    try {
      const pending = this.#delivery.take(record);
      if (!pending) return;
      this.#pumping = true;
      pending.then(() => this.#pump()).catch((error) => this.#end(error));
    } catch (error) {
      this.#end(error);
    }
  }

  /** Hands on what waits, up to the first gap. */
  async #drain(): Promise<void> {
    for (let record = this.#buffer.first(); record && !this.#closed; record = this.#buffer.first()) {
      const known = record.sequence <= this.position;
      if (!known && !this.#delivery.follows(record)) return;
      this.#buffer.removeFirst();
      const pending = known ? undefined : this.#delivery.take(record);
      if (pending) await pending;
    }
  }

  /** Learns from the leader how far the log reaches: behind a subscription, but not after it, and reading on meanwhile. */
  async #ask(subscribed?: Promise<void>, withBacklog = false): Promise<void> {
    const askBehindBacklog = this.#askBehindBacklog;
    this.#askLeader = false;
    this.#askBehindBacklog = false;
    try {
      const [record, page] = await Promise.all([
        this.#log.last(this.#subject),
        withBacklog ? this.#log.read(this.#subject, this.position, PAGE_RECORDS) : [],
        subscribed,
      ]);
      const last = record?.sequence ?? 0;
      this.#target = Math.max(this.#target, last);
      await this.#takePage(page);
      await this.#drain();
      if (askBehindBacklog && last > this.position) this.#askLeader = true;
    } catch (error) {
      this.#askLeader = true;
      this.#askBehindBacklog ||= askBehindBacklog;
      throw error;
    }
  }

  /** Reads until the target is reached; a replica that lags is asked again, and with time the leader is asked why. */
  async #readToTarget(): Promise<void> {
    let lag: Backoff | undefined;
    let behindSince: number | undefined;
    while (this.position < this.#target && !this.#closed) {
      const target = this.#target;
      const page = await this.#log.read(this.#subject, this.position, PAGE_RECORDS);
      await this.#takePage(page);
      await this.#drain();
      if (page.length > 0 || this.position >= target) {
        lag = undefined;
        behindSince = undefined;
        continue;
      }
      behindSince ??= this.#clock.now();
      if (this.#clock.now() - behindSince >= DOUBT_AFTER_MS) {
        await this.#skipPurged(target);
        behindSince = undefined;
      }
      lag ??= this.#backoff(LAG_PACE);
      await this.#pause(lag, true);
    }
  }

  async #takePage(page: readonly LogRecord[]): Promise<void> {
    for (const record of page) {
      if (this.#closed) return;
      if (record.sequence <= this.position) continue;
      const pending = this.#delivery.take(record);
      if (pending) await pending;
    }
  }

  /** What the log held up to the target and the leader no longer knows was purged, and will never be read. */
  async #skipPurged(target: number): Promise<void> {
    const last = await this.#log.last(this.#subject);
    if ((last?.sequence ?? 0) <= this.position) this.#delivery.skipTo(target);
  }

  /** @param forLag whether a fitting live record ends it, too */
  async #pause(backoff: Backoff, forLag: boolean): Promise<void> {
    if (this.#closed) return;
    const pausing = pause(this.#clock, backoff.next() ?? 0);
    this.#pausing = { forLag, pause: pausing };
    await pausing.over;
    this.#pausing = undefined;
  }

  #backoff(pace: Pace): Backoff {
    return new Backoff({ ...pace, clock: this.#clock, entropy: this.#entropy });
  }

  #nextIdle(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #settleWaiters(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const settle of waiters) settle();
  }

  /** Ends for a fault that trying again cannot mend. */
  #end(error: unknown): void {
    if (this.#closed) return;
    this.close();
    this.#handler.failed?.(error instanceof HandlerFailure ? error.cause : error, true);
  }
}
