import { createInbox, type Msg, type Subscription } from '@nats-io/transport-node';
import { type LogRecord, LogUnavailable } from '@tandem/actor-core';
import { versionAtLeast } from './check-server.ts';
import type { NatsLink } from './nats-link.ts';
import { directRecord } from './record.ts';

const TIMEOUT_MS = 4000;
/** Bounds what a reader that is slower than the network holds. */
const PAGE_BYTES = 512 * 1024;
/** Servers that send no batches are asked for one record at a time, so pages are kept short. */
const SINGLE_PAGE = 64;

interface Collector {
  take(message: Msg): void;
}

/** Reads pages of a subject by direct gets: any replica of the stream answers, one that lags shows less. */
export class DirectReader {
  readonly #link: NatsLink;
  readonly #inbox = createInbox();
  readonly #collectors = new Map<string, Collector>();
  readonly #answers: Subscription;
  #requests = 0;

  constructor(link: NatsLink) {
    this.#link = link;
    this.#answers = link.connection.subscribe(`${this.#inbox}.*`, {
      callback: (_error, message) => this.#collectors.get(message.subject)?.take(message),
    });
  }

  /** @throws LogUnavailable */
  async read(stream: string, subject: string, after: number, limit: number): Promise<LogRecord[]> {
    if (limit < 1) return [];
    if (versionAtLeast(this.#link.serverVersion, '2.11.0')) return this.#batch(stream, subject, after, limit);
    return this.#oneByOne(stream, subject, after, Math.min(limit, SINGLE_PAGE));
  }

  close(): void {
    this.#answers.unsubscribe();
  }

  async #batch(stream: string, subject: string, after: number, limit: number): Promise<LogRecord[]> {
    const request = { seq: after + 1, next_by_subj: subject, batch: limit, max_bytes: PAGE_BYTES };
    const reply = `${this.#inbox}.${++this.#requests}`;
    const records: LogRecord[] = [];
    let timer: NodeJS.Timeout | undefined;
    try {
      await this.#link.whileConnected(
        () =>
          new Promise<void>((resolve, reject) => {
            timer = setTimeout(
              () => reject(new Error('a batch of records was not complete in time')),
              TIMEOUT_MS,
            );
            this.#collectors.set(reply, {
              take(message) {
                const record = directRecord(message);
                if (record) records.push(record);
                else if (isEnd(message)) resolve();
                else reject(new Error(`direct get failed with ${message.headers?.status ?? 'no status'}`));
              },
            });
            this.#link.connection.publish(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify(request), { reply });
          }),
      );
    } finally {
      clearTimeout(timer);
      this.#collectors.delete(reply);
    }
    return records;
  }

  async #oneByOne(stream: string, subject: string, after: number, limit: number): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    let bytes = 0;
    let last = after;
    while (records.length < limit && bytes < PAGE_BYTES) {
      const request = JSON.stringify({ seq: last + 1, next_by_subj: subject });
      const message = await this.#link.request(`$JS.API.DIRECT.GET.${stream}`, request, {
        timeout: TIMEOUT_MS,
      });
      const record = directRecord(message);
      if (!record) {
        if (isEnd(message)) break;
        throw new LogUnavailable(
          new Error(`direct get failed with ${message.headers?.status ?? 'no status'}`),
        );
      }
      records.push(record);
      bytes += record.payload.length;
      last = record.sequence;
    }
    return records;
  }
}

/** End of a batch, or nothing (more) to be found. */
function isEnd(message: Msg): boolean {
  return message.headers?.code === 204 || message.headers?.code === 404;
}
