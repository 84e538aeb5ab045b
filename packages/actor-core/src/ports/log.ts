/** A stored record of one subject of a log. Raw: a message above the limit of the store spans several records. */
export interface LogRecord {
  /** Position in the store; grows along a subject, never reused. */
  readonly sequence: number;
  /** The subject's record before this one (0: none), where the store told it; live records always carry it. */
  readonly previous: number | undefined;
  /** When the store took it, milliseconds since the epoch. */
  readonly time: number;
  readonly part: Part;
  readonly payload: Uint8Array;
}

/** Which piece of which message a record holds. A whole message is part 0 of 1. */
export interface Part {
  /** Chosen by the writer, unique among the subject's messages. */
  readonly set: string;
  readonly index: number;
  readonly count: number;
}

export interface AppendOptions {
  /** Refuse unless the subject's last sequence is this (0: the subject holds nothing). */
  readonly expectedLast?: number;
}

export interface LogSubscription {
  close(): void;
}

export interface LiveHandler {
  /** Called once a stored record, in stream order; records may be missing: compare `previous`. */
  record(record: LogRecord): void;
  /** The subscription may have missed anything (a reconnect, a drop for slowness): read the log again. */
  interrupted(): void;
}

/**
 * The durable log. Subjects are independent; each is an ordered list of records.
 *
 * `read` may be served by a replica that lags: it shows a prefix, never a hole. Only `last` speaks for the whole log.
 */
export interface Log {
  /** Largest payload of one record, bytes. Larger messages are split by the caller (see `parts/`). */
  readonly maxRecordBytes: number;
  /**
   * Appends one record; resolves when it is stored.
   * @throws LogConflict when `expectedLast` did not hold: nothing was stored by this call.
   * @throws LogUnavailable when it is unknown whether it was stored (time-out, no leader, lost connection).
   * @throws LogFull when the store refused it for want of space: nothing was stored.
   */
  append(
    subject: string,
    part: Part,
    payload: Uint8Array,
    options?: AppendOptions,
  ): Promise<{ sequence: number }>;
  /** The subject's last record, asked of the store's leader. @throws LogUnavailable */
  last(subject: string): Promise<LogRecord | undefined>;
  /**
   * Up to `limit` records behind `after`, in order. A page may be shorter than the limit anywhere (pages are bounded by
   * bytes too); an empty one is the end as the asked replica knows it.
   * @throws LogUnavailable
   */
  read(subject: string, after: number, limit: number): Promise<LogRecord[]>;
  /** Calls the handler for each record stored from about now on. Resolves when the subscription is in place. */
  subscribe(subject: string, handler: LiveHandler): Promise<LogSubscription>;
  /** Removes the subject's records up to and including `upTo`. @throws LogUnavailable */
  purge(subject: string, upTo: number): Promise<void>;
  /** Fill level of the store that holds `subject`, 0 to 1; as last learned, never asked at call time. */
  fullness(subject: string): number;
}
