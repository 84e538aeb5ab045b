import type { Connection } from '../connection.ts';
import { type Appender, createAppender } from './appender.ts';
import { readEvents, type ServerFrame, type Subscription, subscribe } from './event-reader.ts';

/** What {@link openTurn} takes. */
export interface OpenTurnOptions extends Subscription {
  /** Drops both channels. */
  readonly signal?: AbortSignal;
  /** Send appends as bytes instead of hex. */
  readonly binary?: boolean;
}

/** Both channels of one attempt. */
export interface TurnStream extends Appender {
  readonly requestId: string;
  /** Resolves when the server accepted the subscription. Rejections also reach who reads `events`. */
  readonly opened: Promise<void>;
  /**
   * The events in order, to be iterated once; ends when the server ended the stream well.
   * @throws ServerError when it ended with an error or refused; ConnectionError; the signal's reason
   */
  readonly events: AsyncIterable<ServerFrame>;
  /** Drops both channels, as a client does that cancels. Harmless after the end. */
  close(reason?: Error): void;
}

/** Opens the two channels of a request: subscribes to its events at once; what is said is up to the caller. */
export function openTurn(connection: Connection, options: OpenTurnOptions): TurnStream {
  const closing = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, closing.signal]) : closing.signal;
  const subscription = subscribe(connection, options, signal);
  const opened = subscription.then(() => undefined);
  // Whoever reads the events sees the fault; nobody has to look at `opened`.
  opened.catch(() => undefined);

  async function* events() {
    yield* readEvents(await subscription, signal);
  }

  return {
    ...createAppender(connection, options.token, options, { binary: options.binary, signal }),
    requestId: options.requestId,
    opened,
    events: events(),
    close: (reason = new Error('closed by the client')) => closing.abort(reason),
  };
}
