import { randomUUID } from 'node:crypto';
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Clock } from '@tandem/errors';
import { answerAlone } from './answers/answer-interaction.ts';
import { MemoryBlobStore } from './answers/blob-store.ts';
import { requestContextHandler } from './answers/request-context.ts';
import { callUnary, exchangeKey, type ListedModel, listModels } from './calls.ts';
import type { Connection, Entropy } from './connection.ts';
import { type OpenTurnOptions, openTurn, type TurnStream } from './stream/open-turn.ts';
import { tokenSource } from './token-source.ts';
import { nodeTransport } from './transport/node-transport.ts';
import type { Transport } from './transport/transport.ts';
import type { Answers } from './turn/attempt.ts';
import { runTurn, type TurnOptions, type TurnResult } from './turn/run-turn.ts';

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** What {@link createClient} takes. */
export interface ClientOptions extends Partial<Answers> {
  /** For example `http://127.0.0.1:8787`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** node's HTTP by default; one that is passed in is not closed. */
  readonly transport?: Transport;
  readonly clock?: Clock;
  readonly entropy?: Entropy;
  /** Sent with every request; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of one server, for one API key. */
export interface Client {
  /** The token that the key was exchanged for, renewed in time. @throws ServerError, ConnectionError */
  token(): Promise<string>;
  /** @throws ServerError, ConnectionError */
  models(signal?: AbortSignal): Promise<ListedModel[]>;
  /** Calls a unary RPC. @throws ServerError, ConnectionError */
  call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    signal?: AbortSignal,
  ): Promise<MessageShape<O>>;
  /** Opens the two channels of a request and leaves the rest to the caller. @throws ServerError, ConnectionError */
  openTurn(options: ClientStreamOptions): Promise<TurnStream>;
  /** Holds a whole turn. Never throws: see the result's status. */
  runTurn(options: TurnOptions): Promise<TurnResult>;
  /** Closes the client's connections. */
  close(): void;
}

/** What {@link Client.openTurn} takes; ids are random by default, and a first attempt's original id is its own. */
export type ClientStreamOptions = Partial<OpenTurnOptions>;

/** A client over the two channels. Keeps blobs in memory and answers as nobody at the keyboard would, by default. */
export function createClient(options: ClientOptions): Client {
  const { clock = systemClock, apiKey, entropy = { id: randomUUID, random: Math.random } } = options;
  const ownTransport = options.transport ? undefined : nodeTransport();
  const connection: Connection = {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    transport: options.transport ?? (ownTransport as Transport),
    clock,
    headers: { 'x-cursor-client-type': 'tandem', ...options.headers },
  };
  const answers: Answers = {
    blobs: options.blobs ?? new MemoryBlobStore(),
    handlers: options.handlers ?? { requestContextArgs: requestContextHandler({ cwd: process.cwd() }) },
    onInteraction: options.onInteraction ?? answerAlone,
  };
  const token = tokenSource(() => exchangeKey(connection, apiKey), clock);
  return {
    token,
    models: (signal) => listModels(connection, apiKey, signal),
    call: async (method, request, signal) => callUnary(connection, await token(), method, request, signal),
    openTurn: async (stream) => {
      const requestId = stream.requestId ?? entropy.id();
      const names = { requestId, originalRequestId: stream.originalRequestId ?? requestId };
      return openTurn(connection, { ...stream, ...names, token: stream.token ?? (await token()) });
    },
    runTurn: (turn) => runTurn({ connection, entropy, answers, token }, turn),
    close: () => ownTransport?.close(),
  };
}
