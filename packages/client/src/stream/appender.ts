import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { agent, aiserver, encodeHex } from '@tandem/proto';
import { type Call, type Connection, send, type TurnNames, turnHeaders } from '../connection.ts';
import { ConnectionError } from '../errors/client-error.ts';
import { errorOfHttp } from '../errors/server-error.ts';
import { readBody } from '../transport/transport.ts';

/** A message to the server, as `create` takes it. */
export type ClientMessage = MessageInitShape<typeof agent.AgentClientMessageSchema>;

/** How the official client bounds its appends: this many at once, and a minute plus the time of their bytes. */
const MAX_IN_FLIGHT = 16;
const BASE_TIMEOUT_MS = 60_000;
const BYTES_PER_SECOND = 131_072;

/** Options of {@link createAppender}. */
export interface AppenderOptions {
  /** Send bytes as they are instead of as hex, which official clients use. */
  readonly binary?: boolean;
  readonly signal: AbortSignal;
}

/** The client's half of a stream. */
export interface Appender {
  /** Sends the next message. Resolves when the server has stored it. @throws ServerError, ConnectionError */
  append(message: ClientMessage): Promise<void>;
  /** Sends a message, or bytes in place of one, under a given number, which is not counted: for repeats and for tests. */
  appendAs(seqno: number, message: ClientMessage | Uint8Array): Promise<void>;
  /** Resolves when no append is out, whatever became of them. */
  settled(): Promise<void>;
}

/** A client's message as it is sent and stored. */
export function encodeMessage(message: ClientMessage): Uint8Array {
  return toBinary(agent.AgentClientMessageSchema, create(agent.AgentClientMessageSchema, message));
}

/** The call that sends one message (BidiAppend). @param bytes as {@link encodeMessage} gives them */
export function appendCall(
  token: string,
  names: TurnNames,
  seqno: number,
  bytes: Uint8Array,
  binary = false,
): Call {
  const request = create(aiserver.BidiAppendRequestSchema, {
    requestId: { requestId: names.requestId },
    appendSeqno: BigInt(seqno),
    ...(binary ? { dataBinary: bytes } : { data: encodeHex(bytes) }),
  });
  return {
    method: 'POST',
    path: '/aiserver.v1.BidiService/BidiAppend',
    headers: { ...turnHeaders(token, names), 'content-type': 'application/proto' },
    body: toBinary(aiserver.BidiAppendRequestSchema, request),
  };
}

/** Numbers messages from 0 in the order of the calls, and sends up to 16 of them at once. */
export function createAppender(
  connection: Connection,
  token: string,
  names: TurnNames,
  { binary = false, signal }: AppenderOptions,
): Appender {
  const limit = createLimit(MAX_IN_FLIGHT);
  const running = new Set<Promise<void>>();
  let next = 0;

  async function post(seqno: number, bytes: Uint8Array) {
    const call = appendCall(token, names, seqno, bytes, binary);
    const timeoutMs = BASE_TIMEOUT_MS + Math.ceil((bytes.byteLength * 2 * 1000) / BYTES_PER_SECOND);
    const timeout = new AbortController();
    const timer = connection.clock.after(timeoutMs, () =>
      timeout.abort(new ConnectionError('stalled', 'an append was not answered in time')),
    );
    try {
      const response = await send(connection, {
        ...call,
        headers: { ...call.headers, 'connect-timeout-ms': String(timeoutMs) },
        signal: AbortSignal.any([signal, timeout.signal]),
      });
      const answer = await readBody(response);
      if (response.status !== 200) throw errorOfHttp('append', response.status, answer);
    } finally {
      timer.cancel();
    }
  }

  function appendAs(seqno: number, message: ClientMessage | Uint8Array): Promise<void> {
    // Encoded now: the caller may change the message once the call returned.
    const bytes = message instanceof Uint8Array ? message : encodeMessage(message);
    const done = limit(() => post(seqno, bytes));
    const settled = done.then(forget, forget);
    running.add(settled);
    function forget() {
      running.delete(settled);
    }
    return done;
  }

  return {
    append: (message) => appendAs(next++, message),
    appendAs,
    settled: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Runs tasks in the order given, at most `max` at once. */
export function createLimit(max: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (task) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // The place goes straight to the next in line, so that a newcomer cannot take it.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
