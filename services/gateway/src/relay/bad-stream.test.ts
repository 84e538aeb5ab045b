import { encodeEnvelope } from '@tandem/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStreamWith, post, streamBody } from '../testing/http-client.ts';
import { StrictGateway, UNDISTURBED } from '../testing/strict-gateway.ts';

const TOO_LONG = 'r'.repeat(257);
const gateway = new StrictGateway();
beforeAll(() => gateway.open());
afterAll(() => gateway.close());

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
    const stream = await openStreamWith(gateway.fixture.url, body, headers);
    await stream.over;
    expect(stream.status).toBe(200);
    expect(stream.headers['content-type']).toBe('application/connect+proto');
    expect(stream.client.endStream).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(stream.client.endStream?.details[0]?.type).toBe('aiserver.v1.ErrorDetails');
  });

  it('another content type, by HTTP', async () => {
    const answer = await post(gateway.fixture.url, '/agent.v1.AgentService/RunSSE', streamBody('r1'));
    expect(answer).toMatchObject({ status: 415, error: { code: 'invalid_argument' } });
  });
});

it('and nobody else has noticed anything', async () => {
  expect(await gateway.finish()).toEqual(UNDISTURBED);
});
