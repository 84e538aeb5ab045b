import { request as http1Request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { turnKey } from '@tandem/actor-core';
import { encodeEnvelope } from '@tandem/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE_KEY, type GatewayFixture, startGateway } from './testing/gateway-fixture.ts';
import {
  APPEND_PATH,
  append,
  appendBody,
  HEARTBEAT,
  type OpenStream,
  openStream,
  openStreamWith,
  post,
  streamBody,
} from './testing/http-client.ts';

const MIB = 1024 * 1024;

let fixture: GatewayFixture;
let bystander: OpenStream;

/** Strict limits, and a stream of somebody else that must not notice anything. */
beforeAll(async () => {
  fixture = await startGateway({
    env: {
      TANDEM_MAX_MESSAGE: '1MiB',
      TANDEM_BODY_TIMEOUT: '1s',
      TANDEM_HEADERS_TIMEOUT: '500ms',
      TANDEM_MAX_BODY_BYTES: '3MiB',
      TANDEM_MAX_OWNER_BODY_BYTES: '3MiB',
      TANDEM_BODY_ROOM_WAIT: '200ms',
    },
  });
  bystander = await openStream(fixture.url, 'bystander');
  await fixture.actor('bystander').open('bystander');
});

afterAll(async () => {
  const turn = fixture.actor('bystander');
  await turn.open('bystander', 2);
  await turn.texts('undisturbed');
  await turn.end();
  expect(fixture.log.subjects().filter((subject) => !subject.includes('bystander'))).toEqual([]);
  bystander.abort();
  await fixture.gateway.close();
});

const TOO_LONG = 'r'.repeat(257);
const id = (requestId: string) => appendBody(requestId, 0);

interface Case {
  name: string;
  body?: Uint8Array | string;
  headers?: Record<string, string>;
  status: number;
  code: string;
  message: string | RegExp;
}

const APPENDS: Case[] = [
  {
    name: 'no key',
    headers: { authorization: '' },
    status: 401,
    code: 'unauthenticated',
    message: /No API key/,
  },
  {
    name: 'a wrong key',
    headers: { authorization: 'Bearer nope' },
    status: 401,
    code: 'unauthenticated',
    message: /API key is not valid/,
  },
  {
    name: 'a forged token',
    headers: { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
    status: 401,
    code: 'unauthenticated',
    message: /not valid/,
  },
  {
    name: 'no request id',
    body: id(''),
    status: 400,
    code: 'invalid_argument',
    message: /request id is missing/,
  },
  {
    name: 'an over-long request id',
    body: id(TOO_LONG),
    status: 400,
    code: 'invalid_argument',
    message: /longer than 256/,
  },
  {
    name: 'a request id with a blank',
    body: id('a b'),
    status: 400,
    code: 'invalid_argument',
    message: /visible ASCII/,
  },
  {
    name: 'a request id with a line end',
    body: id('a\nb'),
    status: 400,
    code: 'invalid_argument',
    message: /visible ASCII/,
  },
  {
    name: 'a request id with NUL',
    body: id('a\0'),
    status: 400,
    code: 'invalid_argument',
    message: /visible ASCII/,
  },
  {
    name: 'an odd original request id',
    headers: { 'x-original-request-id': 'a b' },
    status: 400,
    code: 'invalid_argument',
    message: /x-original-request-id/,
  },
  {
    name: 'both payloads',
    body: appendBody('r1', 0, HEARTBEAT, { dataBinary: HEARTBEAT }),
    status: 400,
    code: 'invalid_argument',
    message: /Both data/,
  },
  {
    name: 'no payload',
    body: appendBody('r1', 0, ''),
    status: 400,
    code: 'invalid_argument',
    message: /message is missing/,
  },
  {
    name: 'hex of odd length',
    body: appendBody('r1', 0, '3a0'),
    status: 400,
    code: 'invalid_argument',
    message: /not hexadecimal/,
  },
  {
    name: 'no hex',
    body: appendBody('r1', 0, '3azz'),
    status: 400,
    code: 'invalid_argument',
    message: /not hexadecimal/,
  },
  {
    name: 'bytes that are no message',
    body: appendBody('r1', 0, 'ffff'),
    status: 400,
    code: 'invalid_argument',
    message: /cannot be decoded/,
  },
  {
    name: 'a message without content',
    body: appendBody('r1', 0, '9a0600'),
    status: 400,
    code: 'invalid_argument',
    message: /message is empty/,
  },
  {
    name: 'a negative seqno',
    body: appendBody('r1', -1),
    status: 400,
    code: 'invalid_argument',
    message: /negative/,
  },
  {
    name: 'a huge seqno',
    body: appendBody('r1', 2n ** 62n),
    status: 400,
    code: 'invalid_argument',
    message: /above/,
  },
  {
    name: 'a body that is no request',
    body: new Uint8Array([255, 255]),
    status: 400,
    code: 'invalid_argument',
    message: /cannot be decoded/,
  },
  {
    name: 'an empty body',
    body: '',
    status: 400,
    code: 'invalid_argument',
    message: /request id is missing/,
  },
  {
    name: 'JSON that is none',
    body: '{',
    headers: { 'content-type': 'application/json' },
    status: 400,
    code: 'invalid_argument',
    message: /cannot be decoded/,
  },
  {
    name: 'no content type that we know',
    headers: { 'content-type': 'text/plain' },
    status: 415,
    code: 'invalid_argument',
    message: /content type is not supported/,
  },
  {
    name: 'a content encoding that we do not know',
    headers: { 'content-encoding': 'br' },
    status: 501,
    code: 'unimplemented',
    message: /content encoding/,
  },
  {
    name: 'gzip that is none',
    headers: { 'content-encoding': 'gzip' },
    status: 400,
    code: 'invalid_argument',
    message: /cannot be decoded/,
  },
  {
    name: 'a gzip bomb',
    body: gzipSync(Buffer.alloc(50 * MIB)),
    headers: { 'content-encoding': 'gzip' },
    status: 429,
    code: 'resource_exhausted',
    message: /too large/,
  },
  {
    name: 'a message over the limit',
    body: appendBody('r1', 0, '', { dataBinary: new Uint8Array(MIB + 1) }),
    status: 429,
    code: 'resource_exhausted',
    message: /too large/,
  },
  {
    name: 'a body over the limit',
    body: new Uint8Array(3 * MIB),
    status: 429,
    code: 'resource_exhausted',
    message: /too large/,
  },
  {
    name: 'a blob key that is none',
    headers: { 'x-blob-encryption-key': 'abc' },
    status: 400,
    code: 'invalid_argument',
    message: /x-blob-encryption-key/,
  },
];

describe('BidiAppend refuses and stores nothing:', () => {
  it.each(APPENDS)('$name', async ({ body = id('r1'), headers = {}, status, code, message }) => {
    const answer = await post(fixture.url, APPEND_PATH, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.error.code).toBe(code);
    expect(answer.error.message).toMatch(message);
    expect(answer.error.details?.[0]?.debug.details.isRetryable).toBe(false);
  });

  it('a chunked body over the limit', async () => {
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const request = http1Request(new URL(APPEND_PATH, fixture.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${ALICE_KEY}`, 'content-type': 'application/proto' },
      });
      request.on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
        request.destroy();
      });
      request.on('error', reject);
      const chunk = Buffer.alloc(64 * 1024);
      for (let index = 0; index < 50; index += 1) request.write(chunk);
    });
    expect(answer).toBe(429);
  });

  it('what breaks off, without an answer', async () => {
    const request = http1Request(new URL(APPEND_PATH, fixture.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ALICE_KEY}`,
        'content-type': 'application/proto',
        'content-length': '1000',
      },
    });
    request.on('error', () => {});
    request.write(id('r1').subarray(0, 5));
    await new Promise((resolve) =>
      request.once('socket', (socket: Socket) => socket.once('connect', resolve)),
    );
    request.destroy();
    await expect.poll(() => metric('appends_total', 'client_gone')).toBeGreaterThan(0);
  });

  it('what drips, after a while', async () => {
    const { error, status } = await drip();
    expect(status).toBe(503);
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('did not arrive in time'),
    });
  });

  it('what there is no room for, once others hold it', async () => {
    const holders = [hold(1.9 * MIB), hold(1 * MIB)];
    await expect.poll(() => metricValue('gateway_body_bytes')).toBeGreaterThan(2.8 * MIB);
    const answer = await post(
      fixture.url,
      APPEND_PATH,
      appendBody('r1', 0, '', { dataBinary: new Uint8Array(500_000) }),
    );
    expect(answer).toMatchObject({ status: 429, error: { code: 'resource_exhausted' } });
    expect(answer.error.details?.[0]?.debug.details.isRetryable).toBe(true);
    for (const request of holders) request.destroy();
    await expect.poll(() => metricValue('gateway_body_bytes')).toBe(0);
  });
});

const STREAMS: {
  name: string;
  body?: Uint8Array;
  headers?: Record<string, string>;
  code: string;
  message: RegExp;
}[] = [
  { name: 'no key', headers: { authorization: '' }, code: 'unauthenticated', message: /No API key/ },
  {
    name: 'a wrong key',
    headers: { authorization: 'Bearer nope' },
    code: 'unauthenticated',
    message: /not valid/,
  },
  { name: 'no message', body: new Uint8Array(0), code: 'invalid_argument', message: /no message/ },
  {
    name: 'two messages',
    body: Buffer.concat([streamBody('r1'), streamBody('r1')]),
    code: 'invalid_argument',
    message: /more than one message/,
  },
  {
    name: 'half an envelope',
    body: streamBody('r1').subarray(0, 6),
    code: 'invalid_argument',
    message: /cannot be decoded/,
  },
  {
    name: 'unknown flags',
    body: encodeEnvelope(new Uint8Array(0), { flags: 0x80 }),
    code: 'invalid_argument',
    message: /cannot be decoded/,
  },
  {
    name: 'bytes that are no message',
    body: encodeEnvelope(new Uint8Array([255, 255])),
    code: 'invalid_argument',
    message: /cannot be decoded/,
  },
  {
    name: 'an envelope over the limit',
    body: encodeEnvelope(new Uint8Array(100_000)),
    code: 'resource_exhausted',
    message: /too large/,
  },
  { name: 'no request id', body: streamBody(''), code: 'invalid_argument', message: /request id is missing/ },
  {
    name: 'an over-long request id',
    body: streamBody(TOO_LONG),
    code: 'invalid_argument',
    message: /longer than 256/,
  },
  {
    name: 'an odd cursor',
    headers: { 'x-tandem-received': '-1' },
    code: 'invalid_argument',
    message: /x-tandem-received/,
  },
];

describe('RunSSE refuses, by an EndStream:', () => {
  it.each(STREAMS)('$name', async ({ body = streamBody('r1'), headers = {}, code, message }) => {
    const stream = await openStreamWith(fixture.url, body, headers);
    await stream.over;
    expect(stream.status).toBe(200);
    expect(stream.headers['content-type']).toBe('application/connect+proto');
    expect(stream.client.endStream).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(stream.client.endStream?.details[0]?.type).toBe('aiserver.v1.ErrorDetails');
  });

  it('another content type, by HTTP', async () => {
    const answer = await post(fixture.url, '/agent.v1.AgentService/RunSSE', streamBody('r1'));
    expect(answer).toMatchObject({ status: 415, error: { code: 'invalid_argument' } });
  });
});

describe('connections that are none', () => {
  it.each([
    ['noise', Buffer.from('\x00\x01\x02\xff garbage\r\n\r\n', 'latin1'), '400 Bad Request'],
    ['a head that is too large', Buffer.from(`GET / HTTP/1.1\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`), '431 '],
  ])('%s is answered and closed', async (_name, bytes, expected) => {
    const { text } = await raw(bytes);
    expect(text).toContain(expected);
  });

  it('silence, half a preface and half a head are closed in time', async () => {
    await Promise.all([
      raw(Buffer.alloc(0)),
      raw(Buffer.from('PR')),
      raw(Buffer.from('POST /x HTTP/1.1\r\nHost')),
    ]);
  });

  it('a preface with noise behind it is closed', async () => {
    await raw(Buffer.from(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'\xff'.repeat(200)}`, 'latin1'));
  });

  it('HTTP/2 streams that are reset at once do no harm', async () => {
    const session = connectHttp2(fixture.url);
    for (let index = 0; index < 50; index += 1) {
      const stream = session.request({
        ':method': 'POST',
        ':path': APPEND_PATH,
        authorization: `Bearer ${ALICE_KEY}`,
      });
      stream.on('error', () => {});
      stream.close(8);
    }
    const status = await new Promise((resolve) => {
      session.request({ ':path': '/healthz' }).once('response', (headers) => resolve(headers[':status']));
    });
    expect(status).toBe(200);
    session.destroy();
  });
});

it('after all that, others have not noticed', async () => {
  const turn = fixture.actor('bystander');
  await turn.write([], 2);
  expect(bystander.client.endStream).toBeUndefined();
  expect((await append(fixture.url, 'bystander', 7)).status).toBe(200);
  expect(await fixture.dispatcher.place(turnKey('alice', 'r1'))).toBe('absent');
});

/** A connection with some bytes sent, until the other side closes it. */
function raw(bytes: Uint8Array): Promise<{ text: string }> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connectTcp(fixture.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ text }));
  });
}

/** An upload that holds room and does not end. */
function hold(bytes: number) {
  const request = http1Request(new URL(APPEND_PATH, fixture.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${ALICE_KEY}`, 'content-type': 'application/proto' },
  });
  request.on('error', () => {});
  request.write(new Uint8Array(bytes));
  return request;
}

/** An upload that sends a byte now and then. */
function drip(): Promise<{ status: number | undefined; error: unknown }> {
  return new Promise((resolve, reject) => {
    const request = http1Request(new URL(APPEND_PATH, fixture.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${ALICE_KEY}`, 'content-type': 'application/proto' },
    });
    const timer = setInterval(() => request.write(new Uint8Array([10])), 100);
    request.on('error', reject);
    request.on('response', (response) => {
      clearInterval(timer);
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => {
        resolve({ status: response.statusCode, error: JSON.parse(text) });
        request.destroy();
      });
    });
  });
}

async function metric(name: string, label: string): Promise<number> {
  const text = await fixture.metrics.text();
  return Number(new RegExp(`${name}\\{[^}]*"${label}"[^}]*\\} (\\d+)`).exec(text)?.[1] ?? 0);
}

async function metricValue(name: string): Promise<number> {
  return Number(new RegExp(`tandem_${name}\\S* (\\d+)`).exec(await fixture.metrics.text())?.[1] ?? 0);
}
