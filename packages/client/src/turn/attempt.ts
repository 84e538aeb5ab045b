import type { Clock } from '@tandem/errors';
import { answerExec } from '../answers/answer-exec.ts';
import type { InteractionHandler } from '../answers/answer-interaction.ts';
import { answerKv } from '../answers/answer-kv.ts';
import type { BlobStore } from '../answers/blob-store.ts';
import type { ExecHandlers } from '../answers/exec-handler.ts';
import type { Connection } from '../connection.ts';
import { ConnectionError } from '../errors/client-error.ts';
import type { ClientMessage } from '../stream/appender.ts';
import type { ServerFrame } from '../stream/event-reader.ts';
import { type OpenTurnOptions, openTurn, type TurnStream } from '../stream/open-turn.ts';
import { createExecs, type Execs } from './execs.ts';
import { EMPTY_RECORD, record, type TurnRecord } from './turn-record.ts';

/** How a client answers while a turn runs. */
export interface Answers {
  readonly blobs: BlobStore;
  readonly handlers: ExecHandlers;
  readonly onInteraction: InteractionHandler;
}

/** What {@link runAttempt} takes. */
export interface AttemptOptions extends OpenTurnOptions, Answers {
  readonly firstMessage: ClientMessage;
  /** Time without any frame after which the attempt fails, 30 s by default. */
  readonly stallMs?: number;
  /** Time between heartbeats, 5 s by default. */
  readonly heartbeatMs?: number;
  readonly onFrame?: (frame: ServerFrame, stream: TurnStream) => void;
  /** Keep all frames in the result. */
  readonly keepFrames?: boolean;
}

/** One try at a turn, once it is over. */
export interface Attempt {
  readonly requestId: string;
  readonly record: TurnRecord;
  /** Empty unless asked for. */
  readonly frames: readonly ServerFrame[];
  /** Why it failed; absent when the turn ended and the stream ended well. */
  readonly fault: unknown;
}

/**
 * Holds one attempt from the first message to the end of the stream: answers what the server asks, sends heartbeats, and
 * gives up on a failed append or a stalled stream. Never throws: a failure is part of the result.
 */
export async function runAttempt(connection: Connection, options: AttemptOptions): Promise<Attempt> {
  const { clock } = connection;
  const { stallMs = 30_000, heartbeatMs = 5_000 } = options;
  const stream = openTurn(connection, options);
  const frames: ServerFrame[] = [];
  let seen = EMPTY_RECORD;
  let fault: unknown;
  let over = false;

  const fail = (error: unknown) => {
    if (over) return;
    fault ??= error;
    stream.close(error instanceof Error ? error : new Error(String(error)));
  };
  const send = (message: ClientMessage) => void stream.append(message).catch(fail);
  const execs = createExecs((request, signal) =>
    answerExec(request, { handlers: options.handlers, clock, signal, send }),
  );
  const stalled = () => fail(new ConnectionError('stalled', `no event for ${stallMs} ms`));
  let stall = clock.after(stallMs, stalled);
  const heartbeat = every(clock, heartbeatMs, () =>
    send({ message: { case: 'clientHeartbeat', value: {} } }),
  );

  send(options.firstMessage);
  try {
    for await (const frame of stream.events) {
      stall.cancel();
      stall = clock.after(stallMs, stalled);
      seen = record(seen, frame.message);
      if (options.keepFrames) frames.push(frame);
      options.onFrame?.(frame, stream);
      answerFrame(frame, options, execs, send, fail);
    }
    if (!seen.turnEnded) fault ??= new ConnectionError('no_turn_ended', 'the stream ended before the turn');
  } catch (error) {
    fault ??= error;
  }
  over = true;
  stall.cancel();
  heartbeat.cancel();
  execs.abortAll();
  if (fault !== undefined) stream.close();
  await stream.settled();
  return { requestId: options.requestId, record: seen, frames, fault };
}

/** Answers what a frame asks, if it does; `send` is called for each message of the answer, `fail` when there can be none. */
export function answerFrame(
  { message: { message } }: ServerFrame,
  { blobs, onInteraction }: Answers,
  execs: Execs,
  send: (message: ClientMessage) => void,
  fail: (error: unknown) => void,
): void {
  switch (message.case) {
    case 'kvServerMessage':
      void answerKv(message.value, blobs).then((value) => {
        if (value) send({ message: { case: 'kvClientMessage', value } });
      }, fail);
      return;
    case 'execServerMessage':
      execs.start(message.value);
      return;
    case 'execServerControlMessage':
      if (message.value.message.case === 'abort') execs.abort(message.value.message.value.id);
      return;
    case 'interactionQuery': {
      const { id } = message.value;
      void Promise.resolve(onInteraction(message.value)).then((result) => {
        if (result) send({ message: { case: 'interactionResponse', value: { id, result } } });
      }, fail);
      return;
    }
  }
}

/** Calls `run` every `ms` until cancelled. */
export function every(clock: Clock, ms: number, run: () => void): { cancel(): void } {
  let timer = clock.after(ms, tick);
  function tick() {
    timer = clock.after(ms, tick);
    run();
  }
  return { cancel: () => timer.cancel() };
}
