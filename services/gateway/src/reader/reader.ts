import { fromBinary } from '@bufbuild/protobuf';
import {
  type Follower,
  follow,
  higherEpochVoids,
  journalSubject,
  type Message,
  pulseSubject,
  type SignalSubscription,
  type Timer,
} from '@tandem/actor-core';
import { TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';
import { type Ending, endResponse } from './ending.ts';
import { ensureRunning } from './ensure-running.ts';
import { viewEntry } from './entry-view.ts';
import { FramePicker } from './frame-picker.ts';
import { FrameWriter, HEARTBEAT_FRAME } from './frame-writer.ts';
import { Liveness, type LivenessAction } from './liveness.ts';
import { Notices } from './notices.ts';
import { Presence } from './presence.ts';
import type { ReaderDeps, ReaderEnd, ReaderObserver, ReaderRequest, Sink } from './reader-types.ts';
import { type Start, StartFinder } from './start-finder.ts';
import { READER_TIMINGS, type ReaderTimings, within } from './timings.ts';
import { wasDelivered } from './was-delivered.ts';

const SLOW_MS = 1000;

/**
 * Gives one client the frames of its request: finds where it starts, copies frames from the journal as they are
 * stored, keeps the stream alive while the turn is, and ends it (see `ending.ts`). Knows nothing of HTTP.
 *
 * It is `open` until something ends it, `ending` while the response is, and `ended`. While it is open it first searches
 * the backlog for the request's start; without one it expects the next that the journal names; with one it relays.
 */
export class Reader {
  /** Settles when the response has ended, however. Never rejects. */
  readonly done: Promise<ReaderEnd>;
  readonly #deps: ReaderDeps;
  readonly #request: ReaderRequest;
  readonly #sink: Sink;
  readonly #timings: ReaderTimings;
  readonly #observer: ReaderObserver;
  readonly #readerId: string;
  readonly #presence: Presence;
  readonly #finder: StartFinder;
  readonly #liveness: Liveness;
  readonly #writer: FrameWriter;
  #state: 'open' | 'ending' | 'ended' = 'open';
  #settle: (end: ReaderEnd) => void = () => {};
  #follower: Follower | undefined;
  #pulses: SignalSubscription | undefined;
  #timer: Timer | undefined;
  #start: Start | undefined;
  #picker: FramePicker | undefined;
  /** The backlog was read and has no start for this request: the next one that the journal names is it. */
  #expectant = false;
  #announcedAt = 0;

  constructor(deps: ReaderDeps, request: ReaderRequest, sink: Sink) {
    this.done = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#deps = deps;
    this.#request = request;
    this.#sink = sink;
    this.#timings = deps.timings ?? READER_TIMINGS;
    this.#observer = deps.observer ?? {};
    this.#readerId = deps.entropy.id();
    this.#presence = new Presence(deps.signals, request.key, this.#readerId, request.requestId);
    this.#finder = new StartFinder(request.requestId);
    this.#liveness = new Liveness(deps.clock.now(), this.#timings);
    const parts = { clock: deps.clock, liveness: this.#liveness, observer: this.#observer };
    this.#writer = new FrameWriter({ ...parts, sink, acceptsGzip: request.acceptsGzip });
  }

  /** Begins to read. */
  start(): void {
    const subject = pulseSubject(this.#request.key);
    this.#pulses = this.#deps.signals.subscribe(subject, (payload) => this.#pulse(payload));
    this.#announce();
    this.#follow(0, (message) => this.#search(message));
    void this.#follower?.caughtUp.then(() => this.#backlogRead());
    this.#timer = this.#deps.clock.after(this.#timings.tickMs, () => this.#tick());
  }

  /** The client closed the connection. */
  clientClosed(): void {
    void this.#end({ kind: 'closed' });
  }

  /** The gateway stops. Settles when the response has ended, or can't be waited for any longer. */
  async drain(): Promise<void> {
    const { clock } = this.#deps;
    if (this.#state === 'open') await this.#end({ kind: 'drained' });
    else await within<unknown>(clock, this.#timings.finishMs, this.done, undefined);
  }

  /** Ends the response with an error of the gateway's own. */
  async fail(error: unknown): Promise<void> {
    await this.#end({ kind: 'failed', error });
  }

  #follow(after: number, message: (message: Message) => void | Promise<void>): void {
    const { log, clock, entropy } = this.#deps;
    this.#follower?.close();
    this.#follower = follow(
      { log, clock, entropy, assembly: { voids: higherEpochVoids } },
      journalSubject(this.#request.key),
      after,
      {
        message,
        failed: (error, ended) => {
          this.#observer.fault?.(error);
          if (ended) void this.fail(error);
        },
      },
    );
    void this.#follower.caughtUp.then(() => this.#writer.caughtUp());
  }

  /** Looks for the start; once it is found live, the same follower goes on to relay. */
  #search({ payload, firstSequence }: Message): void | Promise<void> {
    if (this.#picker) return this.#relay(payload);
    const start = this.#finder.push(fromBinary(tandem.EntrySchema, payload), firstSequence);
    if (!start || !this.#expectant) return;
    if (!start.opener) return this.#relayFrom(start);
    this.#begin(start);
    return this.#relay(payload);
  }

  async #backlogRead(): Promise<void> {
    while (this.#state === 'open') {
      const start = this.#finder.start;
      if (!start) break;
      if (await this.#isOwed(start)) {
        if (this.#state === 'open') this.#relayFrom(this.#finder.start ?? start);
        return;
      }
      if (this.#finder.start === start) break;
    }
    this.#expectant = true;
  }

  /** A request whose last generation has ended gets it only while no reader was sent its EndStream (docs/protocol.md, 5). */
  async #isOwed(start: Start): Promise<boolean> {
    const ended = this.#finder.startEnded;
    if (ended === undefined || this.#request.received) return true;
    return !(await wasDelivered(this.#deps, this.#request.key, this.#request.requestId, start, ended));
  }

  #begin(start: Start): void {
    this.#start = start;
    this.#picker = new FramePicker(start, this.#request.received ?? 0);
    this.#liveness.named(this.#deps.clock.now());
  }

  /** Reads the start's generation again from its first record, and relays what the client lacks. */
  #relayFrom(start: Start): void {
    this.#begin(start);
    this.#observer.replayed?.();
    this.#follow(start.firstSequence - 1, ({ payload }) => this.#relay(payload));
  }

  #relay(payload: Uint8Array): void | Promise<void> {
    if (this.#state !== 'open' || !this.#picker) return;
    this.#liveness.worked(this.#deps.clock.now());
    const entry = viewEntry(payload);
    const picked = this.#picker.pick(entry);
    if (picked.ended || picked.endStream) {
      return this.#end({ kind: 'completed', last: picked, madeAt: entry.at });
    }
    if (picked.frames.length > 0) return this.#writer.send(picked, entry.at);
  }

  #tick(): void {
    const now = this.#deps.clock.now();
    this.#timer = this.#deps.clock.after(this.#timings.tickMs, () => this.#tick());
    if (now - this.#announcedAt >= this.#timings.presenceMs) this.#announce();
    const { blockedSince } = this.#writer;
    if (blockedSince !== undefined) {
      const blockedMs = now - blockedSince;
      if (blockedMs >= this.#timings.stuckMs) void this.#end({ kind: 'stuck' });
      else if (blockedMs >= SLOW_MS && blockedMs < SLOW_MS + this.#timings.tickMs) this.#observer.slow?.();
      return;
    }
    for (const action of this.#liveness.due(now)) this.#act(action);
  }

  #act(action: LivenessAction): void {
    switch (action) {
      case 'heartbeat':
        this.#observer.heartbeat?.();
        void this.#writer.write(HEARTBEAT_FRAME);
        return;
      case 'ensure':
        this.#ensure().catch((error) => this.#observer.fault?.(error));
        return;
      case 'verify':
        void this.#follower?.verify();
        return;
      case 'unavailable':
        void this.fail(new TandemError('cluster_unavailable', { message: 'no sign of life of the turn' }));
        return;
      case 'not_found':
        void this.fail(new TandemError('request_not_found', { message: 'the request never began' }));
    }
  }

  async #ensure(): Promise<void> {
    const named = this.#start !== undefined;
    const { owed, place } = await ensureRunning(this.#deps, this.#request.key, this.#finder, named);
    if (owed) this.#observer.redispatched?.();
    this.#liveness.place(place, owed, this.#deps.clock.now());
  }

  #pulse(payload: Uint8Array): void {
    // An actor that has just begun missed what was announced before it.
    if (this.#liveness.pulse(this.#deps.clock.now())) this.#announce();
    const { lastSequence } = fromBinary(tandem.PulseSchema, payload);
    this.#follower?.expect(Number(lastSequence));
  }

  #announce(): void {
    this.#announcedAt = this.#deps.clock.now();
    this.#presence.here();
  }

  /** The one place where a reader ends, whatever the reason; only the first one counts. */
  async #end(ending: Ending): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'ending';
    this.#timer?.cancel();
    this.#pulses?.close();
    this.#follower?.close();
    // Of the journal, only the last frames of a generation that is over are still sent.
    if (ending.kind !== 'completed') this.#writer.stop();
    const end = await endResponse(this.#response(), ending);
    this.#state = 'ended';
    this.#observer.ended?.(end);
    this.#settle(end);
  }

  #response() {
    const { clock } = this.#deps;
    const { key, requestId, trusted } = this.#request;
    const failed = (error: unknown) => this.#observer.fault?.(error);
    return {
      clock,
      timings: this.#timings,
      sink: this.#sink,
      writer: this.#writer,
      presence: this.#presence,
      notices: new Notices({ ...this.#deps, retryForMs: this.#timings.noticeMs, failed }, key, requestId),
      observer: this.#observer,
      readerId: this.#readerId,
      trusted,
      generation: this.#start?.generation,
    };
  }
}
