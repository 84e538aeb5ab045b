import { once } from 'node:events';
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  agent,
  aiserver,
  decodeHex,
  ENVELOPE_HEADER_BYTES,
  type EndStream,
  encodeEndStream,
  encodeGzipEnvelope,
} from '@tandem/proto';

/** A client message as the server got it. */
export interface ReceivedAppend {
  readonly seqno: number;
  readonly message: agent.AgentClientMessage;
  readonly headers: IncomingHttpHeaders;
}

/** One subscription, as a script drives it. */
export class ScriptedStream {
  readonly requestId: string;
  readonly headers: IncomingHttpHeaders;
  readonly #response: ServerResponse;
  readonly #mailbox: Mailbox;

  constructor(requestId: string, request: IncomingMessage, response: ServerResponse, mailbox: Mailbox) {
    this.requestId = requestId;
    this.headers = request.headers;
    this.#response = response;
    this.#mailbox = mailbox;
  }

  /** The first append of this request that fits and was not taken before; heartbeats only when asked for. */
  take(kind: agent.AgentClientMessage['message']['case']): Promise<ReceivedAppend> {
    return this.#mailbox.take(kind);
  }

  send(message: MessageInitShape<typeof agent.AgentServerMessageSchema>['message'], gzip = false): void {
    const bytes = toBinary(
      agent.AgentServerMessageSchema,
      create(agent.AgentServerMessageSchema, { message }),
    );
    this.#response.write(encodeGzipEnvelope(bytes, { minBytes: gzip ? 0 : Infinity }));
  }

  update(message: MessageInitShape<typeof agent.InteractionUpdateSchema>['message']): void {
    this.send({ case: 'interactionUpdate', value: { message } });
  }

  text(text: string): void {
    this.update({ case: 'textDelta', value: { text } });
  }

  checkpoint(value: MessageInitShape<typeof agent.ConversationStateStructureSchema>): void {
    this.send({ case: 'conversationCheckpointUpdate', value });
  }

  turnEnded(value: MessageInitShape<typeof agent.TurnEndedUpdateSchema> = {}): void {
    this.update({ case: 'turnEnded', value });
  }

  /** Writes bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.#response.write(bytes);
  }

  /** Ends the stream with EndStream. */
  end(end: EndStream = {}): void {
    this.#response.end(encodeEndStream(end));
  }

  /** Ends the response without EndStream. */
  endSilently(): void {
    this.#response.end();
  }

  /** Breaks the connection. */
  cut(): void {
    this.#response.destroy();
  }

  /** Resolves when the client has gone, or the response is over. */
  closed(): Promise<void> {
    if (this.#response.closed) return Promise.resolve();
    return once(this.#response, 'close').then(() => undefined);
  }
}

/** The appends of one request. */
class Mailbox {
  readonly #kept: ReceivedAppend[] = [];
  readonly #waiting: { kind: unknown; resolve: (append: ReceivedAppend) => void }[] = [];

  put(append: ReceivedAppend): void {
    const kind = append.message.message.case;
    const index = this.#waiting.findIndex((waiting) => waiting.kind === kind);
    if (index < 0) this.#kept.push(append);
    else this.#waiting.splice(index, 1)[0]?.resolve(append);
  }

  take(kind: unknown): Promise<ReceivedAppend> {
    const index = this.#kept.findIndex(({ message }) => message.message.case === kind);
    const [found] = index < 0 ? [] : this.#kept.splice(index, 1);
    if (found) return Promise.resolve(found);
    return new Promise((resolve) => this.#waiting.push({ kind, resolve }));
  }
}

/** An answer to refuse a request with. */
interface Refusal {
  readonly status: number;
  readonly body?: string;
}

/** What a scripted server does; what is missing is answered well. */
export interface Script {
  /** Drives a subscription whose headers were sent. */
  stream?: (stream: ScriptedStream, index: number) => Promise<void> | void;
  refuseStream?: (index: number) => Refusal | undefined;
  /** Called before an append is taken; waits for it. */
  append?: (append: ReceivedAppend) => Promise<Refusal | undefined> | Refusal | undefined;
  /** Answers everything but the two channels and the key exchange. */
  other?: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;
}

/** A running scripted server. */
export interface ScriptedServer extends AsyncDisposable {
  readonly baseUrl: string;
  /** Faults of scripts: a test checks that there are none. */
  readonly faults: unknown[];
  /** All appends, in the order of their arrival. */
  readonly appends: ReceivedAppend[];
}

/** Starts a server of the two channels that does what a script says, on a free port of the loopback. */
export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const mailboxes = new Map<string, Mailbox>();
  const faults: unknown[] = [];
  const appends: ReceivedAppend[] = [];
  let streams = 0;

  function mailboxOf(requestId: string): Mailbox {
    const mailbox = mailboxes.get(requestId) ?? new Mailbox();
    mailboxes.set(requestId, mailbox);
    return mailbox;
  }

  async function runSse(request: IncomingMessage, response: ServerResponse) {
    const index = streams++;
    const body = await read(request);
    const { requestId } = fromBinary(aiserver.BidiRequestIdSchema, body.subarray(ENVELOPE_HEADER_BYTES));
    const refusal = script.refuseStream?.(index);
    if (refusal) return refuse(response, refusal);
    response.writeHead(200, { 'content-type': 'application/connect+proto' });
    response.flushHeaders();
    await script.stream?.(new ScriptedStream(requestId, request, response, mailboxOf(requestId)), index);
  }

  async function bidiAppend(request: IncomingMessage, response: ServerResponse) {
    const decoded = fromBinary(aiserver.BidiAppendRequestSchema, await read(request));
    const bytes = decoded.data === '' ? decoded.dataBinary : decodeHex(decoded.data);
    const append = {
      seqno: Number(decoded.appendSeqno),
      message: fromBinary(agent.AgentClientMessageSchema, bytes),
      headers: request.headers,
    };
    const refusal = await script.append?.(append);
    if (refusal) return refuse(response, refusal);
    appends.push(append);
    mailboxOf(decoded.requestId?.requestId ?? '').put(append);
    response.writeHead(200, { 'content-type': 'application/proto' }).end();
  }

  async function handle(request: IncomingMessage, response: ServerResponse) {
    switch (request.url) {
      case '/agent.v1.AgentService/RunSSE':
        return runSse(request, response);
      case '/aiserver.v1.BidiService/BidiAppend':
        return bidiAppend(request, response);
      case '/auth/exchange_user_api_key': {
        await read(request);
        const accessToken = `token of ${request.headers.authorization}`;
        return void response.writeHead(200).end(JSON.stringify({ accessToken }));
      }
      default: {
        const body = await read(request);
        if (script.other) return script.other(request, body, response);
        return refuse(response, { status: 404 });
      }
    }
  }

  const server = http.createServer((request, response) => {
    handle(request, response).catch((fault) => {
      // A client that leaves in the middle of its own request is none of the script's faults.
      if (!request.destroyed || request.complete) faults.push(fault);
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    faults,
    appends,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function refuse(response: ServerResponse, { status, body = '' }: Refusal): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}

async function read(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await request.toArray());
}
