import http from 'node:http';
import { createClient, NO_RETRIES, runRequest, type ServerError, type TurnStream } from '@tandem/client';
import { appendCall, encodeMessage } from '@tandem/client/wire';
import { readMetric, until } from '@tandem/test-support/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dribblingTransport } from '../harness/dribble.ts';
import { saidLast } from '../harness/said.ts';
import { type System, startSystem } from '../harness/system.ts';

const BODY_MS = 3_000;
const OPEN_MS = 8_000;
const HEARTBEAT = { message: { case: 'clientHeartbeat', value: {} } } as const;

let system: System;

beforeAll(async () => {
  system = await startSystem({
    gateways: 2,
    workers: 1,
    env: { TANDEM_BODY_TIMEOUT: `${BODY_MS}ms`, TANDEM_OPEN_TIMEOUT: `${OPEN_MS}ms` },
  });
  system.provider.script('scripted', { steps: [{ type: 'text', text: 'Read it all.' }] });
});

afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
});

test.concurrent.each([
  { where: 'the same gateway', others: 0 },
  { where: 'another gateway', others: 1 },
])('P1: heartbeats reach $where while the first append is still going up', async ({ where, others }) => {
  const { cluster, provider } = system;
  const [first, other] = [cluster.gateways[0]?.url ?? '', cluster.gateways[others]?.url ?? ''];
  const answered: number[] = [];
  const transport = dribblingTransport({
    overMs: 5_000,
    othersTo: other,
    answered: (seqno) => answered.push(seqno),
  });
  const client = createClient({ baseUrl: first, apiKey: cluster.apiKey, transport });
  const text = `${where} `.repeat(3_000_000 / where.length);
  const turn = await client.runTurn({
    text,
    conversationId: where,
    modelId: 'scripted',
    heartbeatMs: 500,
    retries: NO_RETRIES,
  });
  transport.close();

  expect(turn).toMatchObject({ status: 'finished', text: 'Read it all.', error: undefined });
  expect(answered.indexOf(0)).toBeGreaterThan(0);
  expect(turn.attempts.map(({ record }) => record.turnEnded)).toEqual([true]);
  const calls = provider.requests.filter((request) => saidLast(request).startsWith(where));
  expect(calls.map((request) => saidLast(request) === text)).toEqual([true]);
});

test.concurrent('P1: a first append that never comes to its end is refused at the bound, and so is its stream', async () => {
  const { cluster } = system;
  const [gateway] = cluster.gateways;
  const client = createClient({ baseUrl: gateway?.url ?? '', apiKey: cluster.apiKey });
  const requestId = 'never-comes';
  const startedAt = performance.now();
  const stream = await client.openTurn({ requestId });
  const first = stall(gateway?.url ?? '', await client.token(), requestId);
  await stream.appendAs(1, HEARTBEAT);

  const refusal = await first;
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(BODY_MS);
  expect(performance.now() - startedAt).toBeLessThan(BODY_MS + 3_000);
  expect(refusal).toMatchObject({ code: 'unavailable' });
  expect(JSON.stringify(refusal.details)).toContain('did not arrive in time');

  const end = await endOf(stream);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(OPEN_MS);
  expect(performance.now() - startedAt).toBeLessThan(OPEN_MS + 3_000);
  expect(end).toMatchObject({ code: 'not_found', retryable: false });
  expect(end.message).toMatch(/not known/);
  client.close();
});

test.concurrent('P1: a first append that names no model is refused at once', async () => {
  const { client } = system;
  const startedAt = performance.now();
  const turn = await client.runTurn({ text: 'Hello.', conversationId: 'no-model', retries: NO_RETRIES });
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  expect(turn).toMatchObject({ status: 'failed', error: { code: 'invalid_argument', retryable: false } });
  expect(String(turn.error)).toContain('names no model');

  // And with an append that came before it.
  const stream = await client.openTurn({});
  await stream.appendAs(1, HEARTBEAT);
  await stream.appendAs(
    0,
    runRequest({ text: 'Hello.', conversationId: 'no-model-either', runId: stream.requestId }),
  );
  expect(await endOf(stream)).toMatchObject({ code: 'invalid_argument', retryable: false });
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});

test('P1: nothing is left of any of it', async () => {
  const { gateways, workers } = system.cluster;
  const leftovers = [
    ...gateways.map(({ url }) => ({ url, metric: 'tandem_gateway_streams_open' })),
    ...gateways.map(({ url }) => ({ url, metric: 'tandem_gateway_body_bytes' })),
    ...workers.map(({ url }) => ({ url, metric: 'tandem_turns_running' })),
  ];
  for (const { url, metric } of leftovers) {
    await until(`${metric} is 0`, async () => (await readMetric(url, metric)) === 0);
  }
});

/** Sends the head of an append and some of its body, and no more. @returns the gateway's error */
async function stall(
  url: string,
  token: string,
  requestId: string,
): Promise<{ code: string; details: unknown }> {
  const said = runRequest({
    text: 'x'.repeat(100_000),
    conversationId: 'c',
    modelId: 'scripted',
    runId: requestId,
  });
  const names = { requestId, originalRequestId: requestId };
  const { path, headers, body = Buffer.alloc(0) } = appendCall(token, names, 0, encodeMessage(said));
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const request = http.request(`${url}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-length': body.length },
  });
  request.once('response', resolve);
  request.on('error', reject);
  request.write(body.subarray(0, 1_000));
  const response = await promise;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  request.destroy();
  return JSON.parse(Buffer.concat(chunks).toString()) as { code: string; details: unknown };
}

/** The error that a stream ends with. */
async function endOf(stream: TurnStream): Promise<ServerError> {
  try {
    for await (const _frame of stream.events) {
      // Whatever comes before the end.
    }
  } catch (error) {
    return error as ServerError;
  }
  throw new Error('the stream ended without an error');
}
