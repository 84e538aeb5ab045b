import { type ClientMessage, ConnectionError, isHeartbeat, retryClass } from '@tandem/client';
import {
  type Attempt,
  type AttemptOptions,
  answerExec,
  answerFrame,
  type Connection,
  createAppender,
  createExecs,
  EMPTY_RECORD,
  encodeMessage,
  every,
  readEvents,
  record,
  sleep,
  subscribe,
  type TurnRecord,
} from '@tandem/client/wire';

/** In what an attempt differs from an official client's, and who is told of it. */
export interface Ways {
  /** Opens the stream first, else says its first message first; the other follows after `gapMs`. */
  readonly streamFirst: boolean;
  readonly gapMs: number;
  /** Repeats failed appends, and opens a broken stream again where it left off. */
  readonly reattaches: boolean;
  /** Something else to send under a number that was acknowledged: it must change nothing. */
  forge?(): ClientMessage | undefined;
  /** Told of each try to send a message, from 1. */
  sends(seqno: number, bytes: Uint8Array, tries: number): void;
  acknowledged(seqno: number): void;
  failed(seqno: number, fault: unknown): void;
  /** Told of what the attempt brought so far, after each frame. */
  saw(record: TurnRecord): void;
  stalled(): void;
  reattached(): void;
}

const REATTACH_MS = 1_000;
/** Gives up on a stream or an append after so many tries. */
const TRIES = 60;
const LOST_CONNECTIONS: ReadonlySet<string> = new Set(['unreachable', 'cut', 'no_end', 'stalled']);

/**
 * Holds one attempt as `runAttempt` of the client's package does, with the same parts, but in ways of its own. Which transport and
 * clock it runs on is the connection's: sockets and the machine's time, or a simulated network and virtual time.
 */
export function holdAttempt(connection: Connection, options: AttemptOptions, ways: Ways): Promise<Attempt> {
  return new WireAttempt(connection, options, ways).hold();
}

class WireAttempt {
  readonly #connection: Connection;
  readonly #options: AttemptOptions;
  readonly #ways: Ways;
  readonly #closing = new AbortController();
  readonly #over = Promise.withResolvers<void>();
  readonly #appender: ReturnType<typeof createAppender>;
  readonly #execs: ReturnType<typeof createExecs>;
  /** Messages that are not answered. */
  readonly #outstanding = new Set<Promise<void>>();
  #stream = new AbortController();
  #stall: { cancel(): void } | undefined;
  #heartbeat: { cancel(): void } | undefined;
  #seen = EMPTY_RECORD;
  #received = 0;
  #next = 0;
  #isOver = false;
  #fault: unknown;

  constructor(connection: Connection, options: AttemptOptions, ways: Ways) {
    const { token, binary = false, handlers, signal: canceled } = options;
    const { clock } = connection;
    const { signal } = this.#closing;
    this.#connection = connection;
    this.#options = options;
    this.#ways = ways;
    this.#appender = createAppender(connection, token, options, { binary, signal });
    this.#execs = createExecs((request, signal) =>
      answerExec(request, { handlers, clock, signal, send: (message) => this.#send(message) }),
    );
    canceled?.addEventListener('abort', () => this.#end(canceled.reason), { once: true });
  }

  async hold(): Promise<Attempt> {
    const { clock } = this.#connection;
    const { requestId, firstMessage, heartbeatMs = 5_000 } = this.#options;
    const steps = [() => void this.#read(), () => this.#send(firstMessage)];
    if (!this.#ways.streamFirst) steps.reverse();
    steps[0]?.();
    clock.after(this.#ways.gapMs, () => steps[1]?.());
    const beat: ClientMessage = { message: { case: 'clientHeartbeat', value: {} } };
    this.#heartbeat = every(clock, heartbeatMs, () => this.#send(beat));
    this.#alive();
    await this.#over.promise;
    return { requestId, record: this.#seen, frames: [], fault: this.#fault };
  }

  /** Drops both channels. @param fault why; undefined: all went well */
  #end(fault?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#fault = fault;
    this.#stall?.cancel();
    this.#heartbeat?.cancel();
    const reason = fault instanceof Error ? fault : new Error('the attempt is over');
    this.#stream.abort(reason);
    this.#closing.abort(reason);
    this.#execs.abortAll();
    this.#over.resolve();
  }

  async #read(): Promise<void> {
    for (let tries = 0; !this.#isOver; tries += 1) {
      const before = this.#received;
      const fault = await this.#readOnce();
      if (this.#isOver) return;
      if (fault === undefined || this.#seen.terminal) return this.#endWell();
      const lost = fault instanceof ConnectionError && LOST_CONNECTIONS.has(fault.fault);
      if (this.#received > before) tries = 0;
      if (!this.#ways.reattaches || !lost || tries >= TRIES) return this.#end(fault);
      this.#ways.reattached();
      await sleep(this.#connection.clock, REATTACH_MS);
    }
  }

  /** @returns why the stream broke; undefined: it ended with its turn */
  async #readOnce(): Promise<unknown> {
    this.#stream = new AbortController();
    const { signal } = this.#stream;
    this.#alive();
    try {
      const subscription = { ...this.#options, received: this.#received };
      const response = await subscribe(this.#connection, subscription, signal);
      for await (const frame of readEvents(response, signal)) {
        this.#alive();
        if (this.#isOver || isHeartbeat(frame)) continue;
        this.#received += 1;
        this.#seen = record(this.#seen, frame.message);
        this.#ways.saw(this.#seen);
        answerFrame(
          frame,
          this.#options,
          this.#execs,
          (message) => this.#send(message),
          (error) => this.#end(error),
        );
      }
      if (this.#seen.turnEnded) return undefined;
      return new ConnectionError('no_turn_ended', 'the stream ended before the turn');
    } catch (error) {
      return error;
    }
  }

  /** An attempt waits for what it has sent. */
  async #endWell(): Promise<void> {
    this.#stall?.cancel();
    this.#heartbeat?.cancel();
    while (this.#outstanding.size > 0) await Promise.all(this.#outstanding);
    this.#end();
  }

  #alive(): void {
    if (this.#isOver) return;
    const { stallMs = 30_000 } = this.#options;
    this.#stall?.cancel();
    this.#stall = this.#connection.clock.after(stallMs, () => {
      this.#ways.stalled();
      this.#stream.abort(new ConnectionError('stalled', `no event for ${stallMs} ms`));
    });
  }

  #send(message: ClientMessage): void {
    if (this.#isOver) return;
    const sent = this.#deliver(this.#next++, encodeMessage(message));
    this.#outstanding.add(sent);
    void sent.then(() => this.#outstanding.delete(sent));
  }

  async #deliver(seqno: number, bytes: Uint8Array): Promise<void> {
    for (let tries = 1; !this.#isOver; tries += 1) {
      this.#ways.sends(seqno, bytes, tries);
      try {
        await this.#appender.appendAs(seqno, bytes);
        this.#ways.acknowledged(seqno);
        const forged = this.#ways.forge?.();
        if (forged) this.#appender.appendAs(seqno, forged).catch(() => undefined);
        return;
      } catch (fault) {
        if (this.#isOver) return;
        this.#ways.failed(seqno, fault);
        if (!this.#ways.reattaches || !retryClass(fault) || tries >= TRIES)
          return this.#end(this.#seen.terminal ? undefined : fault);
      }
      await sleep(this.#connection.clock, REATTACH_MS);
    }
  }
}
