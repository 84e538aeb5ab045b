import { fromBinary } from '@bufbuild/protobuf';
import type { HttpRequest, HttpResponse, Transport } from '@tandem/client';
import { connectCodeToHttp, toConnectErrorJson } from '@tandem/errors';
import { aiserver, decodeHex } from '@tandem/proto';
import type { RequestNames } from '../services/gateway.ts';
import { type Http, HttpFault } from '../services/http.ts';
import type { History } from '../world/history.ts';
import type { Process } from '../world/process.ts';
import type { Random } from '../world/random.ts';
import type { StreamRecord } from './attempt-record.ts';
import type { Behaviour } from './behaviour.ts';
import { tapStream } from './stream-tap.ts';

/** Whose requests they are, and how they travel. */
export interface SimTransportOptions {
  readonly process: Process;
  readonly http: Http;
  readonly random: Random;
  readonly history: History;
  readonly behaviour: Behaviour;
  /** Told of each stream that is opened. */
  readonly opened: (record: StreamRecord) => void;
}

const NO_BYTES = new Uint8Array(0);

/**
 * The simulated network as the transport of the client's package: all that tells a client of a simulation from one of sockets. The two
 * channels are calls of the gateway's own code between processes, on virtual time; the token is the user's id.
 */
export function simTransport(options: SimTransportOptions): Transport {
  return {
    request: (request) =>
      request.url.endsWith('/RunSSE') ? openStream(options, request) : sendAppend(options, request),
    close: () => undefined,
  };
}

async function sendAppend(
  { process, http, random, behaviour, history }: SimTransportOptions,
  { headers, body = NO_BYTES, signal }: HttpRequest,
): Promise<HttpResponse> {
  const { appendSeqno, dataBinary } = fromBinary(aiserver.BidiAppendRequestSchema, body);
  const slow = random.chance(behaviour.slowUploadChance);
  if (slow) history.count('fault: slow upload');
  try {
    await http.append(process, {
      names: namesIn(headers),
      seqno: Number(appendSeqno),
      message: dataBinary,
      uploadMs: random.int(0, slow ? behaviour.slowUploadMs : behaviour.uploadMs),
      repeated: random.chance(behaviour.repeatChance),
      signal,
    });
    return answer(200, NO_BYTES);
  } catch (fault) {
    if (!(fault instanceof HttpFault) || !fault.error) throw fault;
    const json = JSON.stringify(toConnectErrorJson(fault.error));
    return answer(connectCodeToHttp(fault.error.code), Buffer.from(json));
  }
}

async function openStream(
  { process, http, history, behaviour, opened }: SimTransportOptions,
  { headers, signal }: HttpRequest,
): Promise<HttpResponse> {
  if (behaviour.readMs > 0) history.count('fault: slow reader');
  const names = namesIn(headers);
  const record: StreamRecord = {
    requestId: names.requestId,
    openedAt: history.now,
    received: Number(headers['x-tandem-received']),
    frames: [],
    times: [],
    heartbeats: [],
    endStream: false,
    over: undefined,
  };
  opened(record);
  const tap = tapStream(record, () => history.now);
  const chunks: Uint8Array[] = [];
  let more = Promise.withResolvers<void>();
  const over = (how: StreamRecord['over']) => {
    record.over ??= how;
    more.resolve();
  };
  const socket = http.open(
    process,
    names,
    { received: record.received, readMs: behaviour.readMs },
    {
      bytes: (chunk) => {
        tap(chunk);
        chunks.push(chunk);
        more.resolve();
      },
      over,
    },
  );
  signal?.addEventListener('abort', () => {
    socket.close();
    over('closed');
  });
  async function* body(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) yield chunk;
      if (record.over === 'end') return;
      if (record.over) throw new Error('the connection broke');
      await more.promise;
      more = Promise.withResolvers();
    }
  }
  return { ...answer(200, NO_BYTES), body: body() };
}

function namesIn(headers: HttpRequest['headers']): RequestNames {
  const key = headers['x-blob-encryption-key'];
  return {
    owner: headers.authorization?.slice('Bearer '.length) ?? '',
    requestId: headers['x-request-id'] ?? '',
    originalRequestId: headers['x-original-request-id'] ?? '',
    blobKey: key === undefined ? NO_BYTES : decodeHex(key),
  };
}

function answer(status: number, bytes: Uint8Array): HttpResponse {
  async function* body() {
    if (bytes.length > 0) yield bytes;
  }
  return {
    status,
    header: (name) => (name === 'content-type' ? 'application/connect+proto' : undefined),
    body: body(),
  };
}
