import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALICE_KEY } from '../testing/gateway-fixture.ts';
import { APPEND_PATH } from '../testing/http-client.ts';
import { StrictGateway, UNDISTURBED } from '../testing/strict-gateway.ts';

const gateway = new StrictGateway();
beforeAll(() => gateway.open());
afterAll(() => gateway.close());

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
    const session = connectHttp2(gateway.fixture.url);
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

it('and nobody else has noticed anything', async () => {
  expect(await gateway.finish()).toEqual(UNDISTURBED);
});

/** A connection with some bytes sent, until the other side closes it. */
function raw(bytes: Uint8Array): Promise<{ text: string }> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connectTcp(gateway.fixture.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ text }));
  });
}
