import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fromBinary } from '@bufbuild/protobuf';
import { agent, aiserver, decodeHex } from '@tandem/proto';
import { forward } from '@tandem/test-support/cluster';
import { CutStream } from './cut-stream.ts';

/** A client's message that came by. */
interface PassedAppend {
  readonly turn: string;
  readonly message: agent.AgentClientMessage['message'];
  /** The gateway's answer; undefined while there is none. */
  status: number | undefined;
}

/** A proxy that can hold a stream after any frame, and cut it there. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  readonly streams: readonly CutStream[];
  readonly appends: readonly PassedAppend[];
  /** New calls go to this gateway from now on. */
  serveBy(gateway: number): void;
  /** The streams of a turn so far, by what its user said. */
  streamsOf(said: string): readonly CutStream[];
  /** Resolves with a turn's stream number `count` (from 1) once it was asked for. */
  stream(said: string, count: number): Promise<CutStream>;
}

/** Whether a stream is held behind the frame that it passed on last. `said` is what the turn's user said. */
export type HoldAfter = (said: string, stream: CutStream) => boolean;

/** Passes all calls to one gateway at a time. What it says about clients is true, as of a proxy that is to be trusted. */
export async function startCuttingProxy(
  gateways: readonly string[],
  holdAfter: HoldAfter,
): Promise<CuttingProxy> {
  const streams: CutStream[] = [];
  const appends: PassedAppend[] = [];
  const said = new Map<string, string>();
  const waiting = new Set<() => void>();
  const keepAlive = new http.Agent({ keepAlive: true });
  let current = 0;

  const streamsOf = (text: string) => streams.filter(({ turn }) => said.get(turn) === text);

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const path = incoming.url ?? '/';
    const turn = turnOf(incoming);
    const append = path.endsWith('/BidiAppend') ? noteAppend(turn, body) : undefined;
    const stream = path.endsWith('/RunSSE') ? noteStream(turn, outgoing) : undefined;
    const answer = await forward(keepAlive, gateways[current] ?? '', incoming, body, outgoing);
    if (append) append.status = answer.statusCode;
    const { 'transfer-encoding': _chunked, connection: _hop, ...headers } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 502, headers);
    outgoing.flushHeaders();
    if (stream) return stream.relay(answer);
    answer.pipe(outgoing);
    answer.on('error', () => outgoing.destroy());
  }

  function noteAppend(turn: string, body: Buffer): PassedAppend {
    const { data } = fromBinary(aiserver.BidiAppendRequestSchema, body);
    const { message } = fromBinary(agent.AgentClientMessageSchema, decodeHex(data));
    const text = saidIn(message);
    const append: PassedAppend = { turn, message, status: undefined };
    appends.push(append);
    if (text === undefined) return append;
    said.set(turn, text);
    for (const look of waiting) look();
    return append;
  }

  function noteStream(turn: string, outgoing: ServerResponse): CutStream {
    const number = streams.filter((other) => other.turn === turn).length + 1;
    const stream = new CutStream(turn, number, outgoing, () => holdAfter(said.get(turn) ?? '', stream));
    streams.push(stream);
    for (const look of waiting) look();
    return stream;
  }

  const server = http.createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    streams,
    appends,
    serveBy: (gateway) => {
      current = gateway;
    },
    streamsOf,
    stream: (text, count) =>
      new Promise((resolve) => {
        const look = () => {
          const found = streamsOf(text)[count - 1];
          if (!found) return waiting.add(look);
          waiting.delete(look);
          resolve(found);
        };
        look();
      }),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      keepAlive.destroy();
      await closed;
    },
  };
}

function turnOf({ headers }: IncomingMessage): string {
  return String(headers['x-original-request-id'] ?? headers['x-request-id'] ?? '');
}

function saidIn(message: agent.AgentClientMessage['message']): string | undefined {
  if (message.case !== 'runRequest') return undefined;
  const action = message.value.action?.action;
  return action?.case === 'userMessageAction' ? action.value.userMessage?.text : undefined;
}
