import type { HttpRequest, HttpResponse, Transport } from '@tandem/client';
import { expect, test } from 'vitest';
import { cuttable } from './cuttable-transport.ts';
import { slow } from './slow-transport.ts';
import { spread } from './spread-transport.ts';

const request = (url: string): HttpRequest => ({ method: 'POST', url, headers: {} });

function transportOf(answer: (request: HttpRequest) => Promise<HttpResponse>): Transport {
  return { request: answer, close: () => undefined };
}

function answering(...chunks: Uint8Array[]): HttpResponse {
  async function* body() {
    yield* chunks;
  }
  return { status: 200, header: () => undefined, body: body() };
}

test('calls go round, past an address that refuses, and to those that came later', async () => {
  const addresses = ['http://a', 'http://b', 'http://c'];
  const seen: string[] = [];
  const transport = spread(
    transportOf(async ({ url }) => {
      if (url.startsWith('http://b')) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      seen.push(url);
      return answering();
    }),
    'http://target',
    addresses,
  );
  for (let call = 0; call < 4; call += 1) await transport.request(request('http://target/x'));
  expect(seen).toEqual(['http://c/x', 'http://a/x', 'http://c/x', 'http://a/x']);
  addresses.splice(0, 3, 'http://d');
  await transport.request(request('http://target/x'));
  expect(seen.at(-1)).toBe('http://d/x');
});

test('an address that refuses is the fault of the call when there is no other', async () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const transport = spread(
    transportOf(() => Promise.reject(refused)),
    'http://target',
    ['http://a', 'http://b'],
  );
  await expect(transport.request(request('http://target/x'))).rejects.toBe(refused);
});

test('a cut breaks the streams that are open, and no other call', async () => {
  const transport = cuttable(
    transportOf(async ({ url, signal }) => {
      async function* endless() {
        yield Uint8Array.of(1);
        if (!signal?.aborted) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      }
      return url.endsWith('/RunSSE') ? { ...answering(), body: endless() } : answering(Uint8Array.of(2));
    }),
  );
  const stream = await transport.request(request('http://a/RunSSE'));
  const other = await transport.request(request('http://a/BidiAppend'));
  const chunks = stream.body[Symbol.asyncIterator]();
  expect((await chunks.next()).value).toEqual(Uint8Array.of(1));
  expect(transport.cut()).toBe(1);
  await expect(chunks.next()).rejects.toThrow('the line is cut');
  expect((await other.body[Symbol.asyncIterator]().next()).value).toEqual(Uint8Array.of(2));
  expect(transport.cut()).toBe(0);
});

test('a slow stream is not read for a while, and comes whole', async () => {
  const waits: number[] = [];
  const clock = {
    now: () => 0,
    after: (ms: number, run: () => void) => {
      waits.push(ms);
      queueMicrotask(run);
      return { cancel: () => undefined };
    },
  };
  const chunks = [20, 20, 20].map((size) => new Uint8Array(size * 1024));
  const transport = slow(
    transportOf(async () => answering(...chunks)),
    clock,
    5000,
  );
  const stream = await transport.request(request('http://a/RunSSE'));
  const read: Uint8Array[] = [];
  for await (const chunk of stream.body) read.push(chunk);
  expect(read).toEqual(chunks);
  expect(waits).toEqual([5000]);
});
