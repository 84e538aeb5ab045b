import type { JetStreamManager } from '@nats-io/jetstream';
import { headers, type Subscription } from '@nats-io/transport-node';
import {
  type AppendOptions,
  type LiveHandler,
  type Log,
  type LogRecord,
  type LogSubscription,
  LogUnavailable,
  type Part,
} from '@tandem/actor-core';
import { DirectReader } from './direct-reader.ts';
import type { FullnessWatch } from './fullness-watch.ts';
import { leaderRecord } from './leader-answer.ts';
import type { NatsLink } from './nats-link.ts';
import { storedSequence } from './publish-answer.ts';
import { encodePart, PART_HEADER, republishedRecord } from './record.ts';
import { slimSubscription } from './slim-subscription.ts';
import { LIVE_PREFIX, type StreamPlan } from './stream-plan.ts';

const APPEND_TIMEOUT_MS = 4000;
const LAST_TIMEOUT_MS = 5000;
/** The server's largest message holds headers, too: ours, and those it adds when it sends a record on. */
const HEADER_BYTES = 1024;
const DEFAULT_MAX_PAYLOAD = 1024 * 1024;

/** The log on JetStream. */
export class NatsLog implements Log {
  readonly maxRecordBytes: number;
  readonly #link: NatsLink;
  readonly #manager: JetStreamManager;
  readonly #plan: StreamPlan;
  readonly #fullness: FullnessWatch;
  readonly #reader: DirectReader;

  constructor(link: NatsLink, manager: JetStreamManager, plan: StreamPlan, fullness: FullnessWatch) {
    this.#link = link;
    this.#manager = manager;
    this.#plan = plan;
    this.#fullness = fullness;
    this.#reader = new DirectReader(link);
    this.maxRecordBytes = (link.connection.info?.max_payload ?? DEFAULT_MAX_PAYLOAD) - HEADER_BYTES;
  }

  async append(
    subject: string,
    part: Part,
    payload: Uint8Array,
    options: AppendOptions = {},
  ): Promise<{ sequence: number }> {
    if (payload.length > this.maxRecordBytes)
      throw new RangeError('the record is larger than maxRecordBytes');
    const head = headers();
    head.set(PART_HEADER, encodePart(part));
    if (options.expectedLast !== undefined) {
      head.set('Nats-Expected-Last-Subject-Sequence', String(options.expectedLast));
    }
    const answer = await this.#link.request(subject, payload, { headers: head, timeout: APPEND_TIMEOUT_MS });
    return { sequence: storedSequence(answer.data) };
  }

  async last(subject: string): Promise<LogRecord | undefined> {
    const stream = this.#streamOf(subject);
    const question = JSON.stringify({ last_by_subj: subject });
    const options = { timeout: LAST_TIMEOUT_MS };
    const answer = await this.#link.request(`$JS.API.STREAM.MSG.GET.${stream}`, question, options);
    return leaderRecord(answer.data);
  }

  async read(subject: string, after: number, limit: number): Promise<LogRecord[]> {
    return this.#reader.read(this.#streamOf(subject), subject, after, limit);
  }

  async subscribe(subject: string, handler: LiveHandler): Promise<LogSubscription> {
    const live = await this.#link.whileConnected(
      async () => new LiveSubscription(this.#link, subject, handler),
    );
    try {
      // The server has it once it answers what we sent after it.
      await this.#link.whileConnected(() => this.#link.connection.flush());
    } catch (error) {
      live.close();
      throw error;
    }
    return live;
  }

  async purge(subject: string, upTo: number): Promise<void> {
    const stream = this.#streamOf(subject);
    await this.#link.whileConnected(() =>
      this.#manager.streams.purge(stream, { filter: subject, seq: upTo + 1 }),
    );
  }

  fullness(subject: string): number {
    return this.#fullness.of(this.#streamOf(subject));
  }

  close(): void {
    this.#reader.close();
  }

  #streamOf(subject: string): string {
    const stream = this.#plan.streamOf(subject);
    if (!stream) throw new LogUnavailable(new Error('no stream holds this subject'));
    return stream;
  }
}

/** What a stream sends on of one subject. There is one for each open stream of a client: it is kept small. */
class LiveSubscription implements LogSubscription {
  readonly #link: NatsLink;
  readonly #handler: LiveHandler;
  readonly #subscription: Subscription;

  constructor(link: NatsLink, subject: string, handler: LiveHandler) {
    this.#link = link;
    this.#handler = handler;
    this.#subscription = slimSubscription(
      link.connection.subscribe(`${LIVE_PREFIX}${subject}`, {
        callback(error, message) {
          const record = error ? undefined : republishedRecord(message);
          if (record) handler.record(record);
        },
      }),
    );
    link.onInterrupted(handler);
  }

  close(): void {
    this.#link.forget(this.#handler);
    this.#subscription.unsubscribe();
  }
}
