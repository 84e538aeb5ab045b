import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { type HttpRequest, type HttpResponse, nodeTransport, type Transport } from '@tandem/client';
import { aiserver } from '@tandem/proto';

const PIECES = 20;

/** How a client's appends go out. */
export interface DribbleOptions {
  /** The first append's body goes up over this time, milliseconds. */
  readonly overMs: number;
  /** Where the other appends go, instead of the client's own server. */
  readonly othersTo?: string;
  /** Told of each append's seqno when it is answered. */
  readonly answered: (seqno: number) => void;
}

/** A transport whose first append is a slow upload that later ones overtake. */
export function dribblingTransport({ overMs, othersTo, answered }: DribbleOptions): Transport {
  const plain = nodeTransport();
  return {
    close: () => plain.close(),
    async request(request) {
      const { pathname } = new URL(request.url);
      if (!pathname.endsWith('/BidiAppend') || !request.body) return plain.request(request);
      const seqno = Number(fromBinary(aiserver.BidiAppendRequestSchema, request.body).appendSeqno);
      const url = othersTo === undefined ? request.url : `${othersTo}${pathname}`;
      const answer = await (seqno === 0 ? dribble(request, overMs) : plain.request({ ...request, url }));
      answered(seqno);
      return answer;
    },
  };
}

async function dribble(
  { url, headers, body = Buffer.alloc(0) }: HttpRequest,
  overMs: number,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const request = http.request(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': body.length },
  });
  request.once('response', resolve);
  request.once('error', reject);
  const size = Math.ceil(body.length / PIECES);
  for (let start = 0; start < body.length; start += size) {
    request.write(body.subarray(start, start + size));
    await delay(overMs / PIECES);
  }
  request.end();
  const response = await promise;
  const answer = await buffer(response);
  return {
    status: response.statusCode ?? 0,
    header: (name) => String(response.headers[name] ?? ''),
    body: (async function* () {
      yield answer;
    })(),
  };
}
