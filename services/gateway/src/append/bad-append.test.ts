import { request as http1Request } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { APPENDS, id } from '../testing/bad-appends.ts';
import { ALICE_KEY } from '../testing/gateway-fixture.ts';
import { APPEND_PATH, appendBody, post } from '../testing/http-client.ts';
import { StrictGateway, UNDISTURBED } from '../testing/strict-gateway.ts';

const MIB = 1024 * 1024;
const gateway = new StrictGateway();
beforeAll(() => gateway.open());
afterAll(() => gateway.close());

describe('BidiAppend refuses and stores nothing:', () => {
  it.each(APPENDS)('$name', async ({ body = id('r1'), headers = {}, status, code, message }) => {
    const answer = await post(gateway.fixture.url, APPEND_PATH, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.error.code).toBe(code);
    expect(answer.error.message).toMatch(message);
    expect(answer.error.details?.[0]?.debug.details.isRetryable).toBe(false);
  });

  it('a chunked body over the limit', async () => {
    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const request = http1Request(new URL(APPEND_PATH, gateway.fixture.url), {
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
    const request = http1Request(new URL(APPEND_PATH, gateway.fixture.url), {
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
      gateway.fixture.url,
      APPEND_PATH,
      appendBody('r1', 0, '', { dataBinary: new Uint8Array(500_000) }),
    );
    expect(answer).toMatchObject({ status: 429, error: { code: 'resource_exhausted' } });
    expect(answer.error.details?.[0]?.debug.details.isRetryable).toBe(true);
    for (const request of holders) request.destroy();
    await expect.poll(() => metricValue('gateway_body_bytes')).toBe(0);
  });
});

it('and nobody else has noticed anything', async () => {
  expect(await gateway.finish()).toEqual(UNDISTURBED);
});

/** An upload that holds room and does not end. */
function hold(bytes: number) {
  const request = http1Request(new URL(APPEND_PATH, gateway.fixture.url), {
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
    const request = http1Request(new URL(APPEND_PATH, gateway.fixture.url), {
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
  const text = await gateway.fixture.metrics.text();
  return Number(new RegExp(`${name}\\{[^}]*"${label}"[^}]*\\} (\\d+)`).exec(text)?.[1] ?? 0);
}

async function metricValue(name: string): Promise<number> {
  return Number(new RegExp(`tandem_${name}\\S* (\\d+)`).exec(await gateway.fixture.metrics.text())?.[1] ?? 0);
}
