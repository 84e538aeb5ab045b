import { Backoff, type Pause, pause, type RetryOptions, retry } from '@tandem/errors';
import type { Timer } from '../ports/clock.ts';
import type { LogRecord } from '../ports/log.ts';
import { Delivery, HandlerFailure } from './delivery.ts';
import type { Follower, FollowHandler, FollowOptions } from './follower.ts';
import { LiveBuffer } from './live-buffer.ts';
import { SoleSubscription } from './sole-subscription.ts';

/**
 * Follows a subject from behind `after` on: what is stored, then what is being stored, without a seam. Live records
 * are only believed where each names the one before it; all else is read from the log, up to what its leader says.
 * @param after a sequence; 0 for all that there is
 */
export function follow(
  options: FollowOptions,
  subject: string,
  after: number,
  handler: FollowHandler,
): Follower {
  return new LogFollower(options, subject, after, handler);
}

const PAGE_RECORDS = 256;
/** After a subscription was put in place or broken, the leader is asked a second time, so much later. */
const SECOND_LOOK_MS = 100;
const LAG_PACE = { firstMs: 2, maxMs: 500 };
const FAULT_PACE = { firstMs: 50, maxMs: 2000 };
/** A replica that does not show a record for so long may be right: it may have been purged. */
const DOUBT_AFTER_MS = 1000;

/** What a follower has to do next; the first that applies. */
type State =
  | 'closed'
  /** The log is known to reach further than was told: pages are read, again and again while a replica lags. */
  | 'reading'
  /** Subscribes, and asks the leader how far the log reaches meanwhile. */
  | 'subscribing'
  /** Records may have been missed (a new or broken subscription, `verify`): asks the leader. */
  | 'asking'
  /** Live records wait. */
  | 'handing on'
  /** All was told. A live record that fits goes straight through; one that does not leads to `reading`. */
  | 'idle';

/**
 * See `follow`. One loop, `#pump`, does everything that waits, until the follower is idle or closed. A fault of the log
 * is waited out in any state; one of the handler closes the follower.
 */
class LogFollower implements Follower {
  readonly #options: FollowOptions;
  readonly #subject: string;
  readonly #handler: FollowHandler;
  readonly #delivery: Delivery;
  readonly #buffer: LiveBuffer;
  readonly #subscription: SoleSubscription;
  readonly caughtUp: Promise<void>;
  /** The log is known to reach this far. */
  #target = 0;
  #askLeader = false;
  /** When the leader's answer shows a backlog, it is asked again behind it. */
  #askBehindBacklog = false;
  #secondLook: Timer | 'due' | undefined;
  #pumping = false;
  #pausing: { readonly forLag: boolean; readonly pause: Pause } | undefined;
  readonly #waiters: (() => void)[] = [];
  #closed = false;

  constructor(options: FollowOptions, subject: string, after: number, handler: FollowHandler) {
    this.#options = options;
    this.#subject = subject;
    this.#handler = handler;
    this.#delivery = new Delivery(options, after, handler);
    this.#buffer = new LiveBuffer(options.maxBufferedBytes ?? 64 * 1024);
    this.#subscription = new SoleSubscription(options.log, subject, {
      record: (record) => this.#live(record),
      interrupted: () => this.#interrupted(),
    });
    this.caughtUp = this.#nextIdle();
    this.#wake();
  }

  get position(): number {
    return this.#delivery.position;
  }

  get resumeAfter(): number {
    return this.#delivery.resumeAfter;
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
    const patience: RetryOptions = {
      ...FAULT_PACE,
      clock: this.#options.clock,
      entropy: this.#options.entropy,
      worthRetrying: (error) => !this.#closed && !(error instanceof HandlerFailure),
      onFailure: (error) => this.#handler.failed?.(error, false),
      wait: (backoff) => this.#pause(backoff, false),
    };
    while (this.#state !== 'closed' && this.#state !== 'idle') await retry(() => this.#step(), patience);
    this.#pumping = false;
    if (this.#closed) return;
    if (this.#secondLook === 'due') this.#lookAgainLater();
    this.#settleWaiters();
  }

  /** What is known to be there is read before anything new is asked for. */
  get #state(): State {
    if (this.#closed) return 'closed';
    if (this.position < this.#target) return 'reading';
    if (!this.#subscription.inPlace) return 'subscribing';
    if (this.#askLeader) return 'asking';
    return this.#buffer.first() ? 'handing on' : 'idle';
  }

  async #step(): Promise<void> {
    await this.#drain();
    switch (this.#state) {
      case 'reading':
        return await this.#readToTarget();
      case 'subscribing':
        this.#lookTwice();
        return await this.#ask(this.#subscription.subscribe(), this.#options.backlogLikely);
      case 'asking':
        return await this.#ask();
    }
  }

  #unsubscribe(): void {
    this.#subscription.giveUp();
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
    this.#secondLook = this.#options.clock.after(SECOND_LOOK_MS, () => {
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
        this.#options.log.last(this.#subject),
        withBacklog ? this.#options.log.read(this.#subject, this.position, PAGE_RECORDS) : [],
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
    const { log, clock, entropy } = this.#options;
    let lag: Backoff | undefined;
    let behindSince: number | undefined;
    while (this.position < this.#target && !this.#closed) {
      const target = this.#target;
      const page = await log.read(this.#subject, this.position, PAGE_RECORDS);
      await this.#takePage(page);
      await this.#drain();
      if (page.length > 0 || this.position >= target) {
        lag = undefined;
        behindSince = undefined;
        continue;
      }
      behindSince ??= clock.now();
      if (clock.now() - behindSince >= DOUBT_AFTER_MS) {
        // What the leader no longer knows was purged, and will never be read.
        const last = await log.last(this.#subject);
        if ((last?.sequence ?? 0) <= this.position) this.#delivery.skipTo(target);
        behindSince = undefined;
      }
      lag ??= new Backoff({ ...LAG_PACE, clock, entropy });
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

  /** @param forLag whether a fitting live record ends it, too */
  async #pause(backoff: Backoff, forLag: boolean): Promise<boolean> {
    if (this.#closed) return true;
    const pausing = pause(this.#options.clock, backoff.next() ?? 0);
    this.#pausing = { forLag, pause: pausing };
    await pausing.over;
    this.#pausing = undefined;
    return true;
  }

  #nextIdle(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #settleWaiters(): void {
    for (const settle of this.#waiters.splice(0)) settle();
  }

  /** Ends for a fault that trying again cannot mend. */
  #end(error: unknown): void {
    if (this.#closed) return;
    this.close();
    this.#handler.failed?.(error instanceof HandlerFailure ? error.cause : error, true);
  }
}
