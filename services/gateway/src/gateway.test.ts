import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { gzipSync } from 'node:zlib';
import { fromBinary } from '@bufbuild/protobuf';
import { createClient, type Interceptor } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { turnKey } from '@tandem/actor-core';
import { agent, aiserver, encodeEnvelope } from '@tandem/proto';
import { afterEach, describe, expect, it } from 'vitest';
import { CollectingSink } from './testing/collecting-sink.ts';
import {
  ALICE_KEY,
  BOB_KEY,
  type FixtureOptions,
  type GatewayFixture,
  startGateway,
} from './testing/gateway-fixture.ts';
import {
  APPEND_PATH,
  append,
  appendBody,
  decodeStored,
  HEARTBEAT,
  openStream,
  post,
  STREAM_PATH,
  streamBody,
} from './testing/http-client.ts';

const running: GatewayFixture[] = [];

async function start(options: FixtureOptions = {}) {
  const fixture = await startGateway(options);
  running.push(fixture);
  return fixture;
}

afterEach(async () => {
  for (const { gateway } of running.splice(0)) await gateway.close();
});

describe('the two channels', () => {
  it('an append is stored, and with seqno 0 dispatched, before its empty answer', async () => {
    const { url, actor, dispatcher } = await start();
    const key = 'ab'.repeat(32);
    const headers = {
      'x-request-id': 'r1',
      'x-cursor-client-type': 'sdk',
      'x-blob-encryption-key': key,
      'x-cursor-agent-allowed-tools': '',
    };
    const answer = await append(url, 'r1', 0, headers);
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/proto' } });
    expect(answer.body).toHaveLength(0);
    const [stored] = await actor('r1').commands();
    if (stored?.case !== 'append') throw new Error('nothing stored');
    expect(stored.value).toMatchObject({
      requestId: 'r1',
      seqno: 0n,
      info: {
        ownerId: 'alice',
        keyId: 'laptop',
        originalRequestId: 'r1',
        clientType: 'sdk',
        allowedTools: '',
      },
    });
    expect(stored.value.info?.excludedTools).toBeUndefined();
    expect(Buffer.from(stored.value.info?.blobEncryptionKey ?? []).toString('hex')).toBe(key);
    expect(decodeStored(stored.value.message).message.case).toBe('clientHeartbeat');
    expect(await dispatcher.place(turnKey('alice', 'r1'))).toBe('waiting');
  });

  it('a retry goes to its turn by x-original-request-id, later messages carry no info', async () => {
    const { url, actor } = await start();
    await append(url, 'r2', 3, { 'x-original-request-id': 'r1' });
    const [stored] = await actor('r1').commands();
    expect(stored).toMatchObject({ case: 'append', value: { requestId: 'r2', seqno: 3n } });
    expect(stored?.value).not.toHaveProperty('info');
  });

  it('takes JSON, gzip and binary data', async () => {
    const { url, actor } = await start();
    const json = JSON.stringify({
      requestId: { requestId: 'r1' },
      appendSeqno: '1',
      data: Buffer.from(HEARTBEAT).toString('hex'),
    });
    expect((await post(url, APPEND_PATH, json, { 'content-type': 'application/json' })).body.toString()).toBe(
      '{}',
    );
    const gzip = await post(url, APPEND_PATH, gzipSync(appendBody('r1', 2)), { 'content-encoding': 'gzip' });
    expect(gzip.status).toBe(200);
    const binary = await post(url, APPEND_PATH, appendBody('r1', 3, '', { dataBinary: HEARTBEAT }));
    expect(binary.status).toBe(200);
    const seqnos = (await actor('r1').commands()).map((kind) =>
      kind.case === 'append' ? kind.value.seqno : -1n,
    );
    expect(seqnos).toEqual([1n, 2n, 3n]);
  });

  it('a stream has its head at once and relays to its EndStream, on a connection that is kept', async () => {
    const { url, actor } = await start();
    const stream = await openStream(url, 'r1');
    expect(stream.headers).toMatchObject({
      'content-type': 'application/connect+proto',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store',
    });
    const turn = actor('r1');
    await turn.open('r1');
    await turn.texts('a', 'b');
    await expect.poll(() => stream.client.texts).toEqual(['a', 'b']);
    await turn.end();
    expect(await stream.over).toBe(true);
    expect(stream.client.endStream).toEqual({ details: [], metadata: {} });
    expect(await turn.commands()).toMatchObject([{ case: 'responseEnded', value: { endStream: true } }]);
  });

  it('the content type follows the client, unless configured', async () => {
    const { url } = await start();
    const ide = await openStream(url, 'r1', {
      'x-cursor-client-type': 'ide',
      'connect-accept-encoding': 'gzip,br',
    });
    expect(ide.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'connect-content-encoding': 'gzip',
    });
    ide.abort();
    const other = await start({ env: { TANDEM_STREAM_CONTENT_TYPE: 'text/event-stream' } });
    const sdk = await openStream(other.url, 'r1');
    expect(sdk.headers['content-type']).toBe('text/event-stream');
    sdk.abort();
  });

  it('any gateway serves either channel', async () => {
    const one = await start();
    const two = await start({ log: one.log, signals: one.signals });
    const stream = await openStream(two.url, 'r1');
    await append(one.url, 'r1', 0);
    const turn = two.actor('r1');
    await turn.open('r1');
    await turn.texts('hello');
    await expect.poll(() => stream.client.texts).toEqual(['hello']);
    stream.abort();
    await expect
      .poll(async () => (await turn.commands()).map(({ case: kind }) => kind))
      .toEqual(['append', 'readerClosed']);
  });

  it('owners with the same ids do not meet', async () => {
    const { url, actor } = await start();
    const bobs = await openStream(url, 'r1', { authorization: `Bearer ${BOB_KEY}` });
    const alices = await openStream(url, 'r1');
    for (const [owner, text] of [
      ['alice', 'for alice'],
      ['bob', 'for bob'],
    ] as const) {
      const turn = actor('r1', owner);
      await turn.open('r1');
      await turn.texts(text);
      await turn.end();
    }
    await Promise.all([bobs.over, alices.over]);
    expect(bobs.client.texts).toEqual(['for bob']);
    expect(alices.client.texts).toEqual(['for alice']);
  });

  it('a client that stops reading is written to no further, and then gets everything', async () => {
    const { url, actor, metrics } = await start();
    const stream = await openStream(url, 'r1');
    const other = await openStream(url, 'r1');
    const turn = actor('r1');
    await turn.open('r1');
    await turn.texts('first');
    await expect.poll(() => stream.client.texts.length).toBe(1);
    stream.pause();
    for (let index = 0; index < 300; index += 1) await turn.texts(`${index}`.padEnd(100_000));
    await expect.poll(() => other.client.texts.length, { timeout: 10_000 }).toBe(301);
    // What the kernel's socket buffers hold was written; the rest waits in the log.
    const relayed = Number(/tandem_gateway_frame_bytes_total\S* (\d+)/.exec(await metrics.text())?.[1]);
    expect(relayed).toBeLessThan(30e6 + 15e6);
    expect(stream.client.texts.length).toBeLessThan(100);
    stream.resume();
    await turn.end();
    expect(await stream.over).toBe(true);
    expect(stream.client.texts).toHaveLength(301);
    await other.over;
  }, 20_000);
});

describe('HTTP/2', () => {
  it('is served on the same port: RunSSE, appends and the small calls', async () => {
    const { url, actor } = await start();
    const session = connectHttp2(url);
    const stream = session.request({
      ':method': 'POST',
      ':path': STREAM_PATH,
      authorization: `Bearer ${ALICE_KEY}`,
      'content-type': 'application/connect+proto',
    });
    const sink = new CollectingSink();
    stream.on('data', (chunk: Buffer) => sink.write(chunk));
    stream.end(streamBody('r1'));
    const transport = createConnectTransport({
      baseUrl: url,
      httpVersion: '2',
      interceptors: [bearer(ALICE_KEY)],
    });
    const client = createClient(aiserver.BidiService, transport);
    await client.bidiAppend({ requestId: { requestId: 'r1' }, data: Buffer.from(HEARTBEAT).toString('hex') });
    const turn = actor('r1');
    await turn.open('r1');
    await turn.texts('h2');
    await turn.end();
    await new Promise((resolve) => stream.once('end', resolve));
    expect(sink.texts).toEqual(['h2']);
    expect(sink.endStream).toBeDefined();
    session.destroy();
  });

  it('a preface that comes byte by byte is understood', async () => {
    const { url, port } = await start();
    const socket = connectTcp(port, '127.0.0.1');
    socket.setNoDelay(true);
    const session = connectHttp2(url, { createConnection: () => socket });
    const status = await new Promise((resolve) => {
      session.request({ ':path': '/healthz' }).once('response', (headers) => resolve(headers[':status']));
    });
    expect(status).toBe(200);
    session.destroy();
    const slow = connectTcp(port, '127.0.0.1');
    const answer = new Promise<string>((resolve) =>
      slow.once('data', (data: Buffer) => resolve(data.toString('latin1'))),
    );
    for (const character of 'PUT / HTTP/1.1\r\nHost: x\r\n\r\n') {
      slow.write(character);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await answer).toContain('404 Not Found');
    slow.destroy();
  });

  it('Run is both channels in one call', async () => {
    const { url, actor } = await start();
    const session = connectHttp2(url);
    const call = session.request({
      ':method': 'POST',
      ':path': '/agent.v1.AgentService/Run',
      authorization: `Bearer ${ALICE_KEY}`,
      'content-type': 'application/connect+proto',
      'x-request-id': 'r1',
    });
    const sink = new CollectingSink();
    call.on('data', (chunk: Buffer) => sink.write(chunk));
    call.write(encodeEnvelope(HEARTBEAT));
    call.write(encodeEnvelope(HEARTBEAT));
    const turn = actor('r1');
    await expect
      .poll(async () =>
        (await turn.commands()).map((kind) => (kind.case === 'append' ? kind.value.seqno : undefined)),
      )
      .toEqual([0n, 1n]);
    await turn.open('r1');
    await turn.texts('bidi');
    call.end();
    await turn.end();
    await new Promise((resolve) => call.once('end', resolve));
    expect(sink.texts).toEqual(['bidi']);
    session.destroy();
  });

  it('a bad message in a Run ends it with an error', async () => {
    const { url } = await start();
    const session = connectHttp2(url);
    const call = session.request({
      ':method': 'POST',
      ':path': '/agent.v1.AgentService/Run',
      authorization: `Bearer ${ALICE_KEY}`,
      'content-type': 'application/connect+proto',
      'x-request-id': 'r1',
    });
    const sink = new CollectingSink();
    call.on('data', (chunk: Buffer) => sink.write(chunk));
    call.write(encodeEnvelope(new Uint8Array([255, 255])));
    await new Promise((resolve) => call.once('end', resolve));
    expect(sink.endStream).toMatchObject({ code: 'invalid_argument' });
    session.destroy();
  });
});

describe('the end of a gateway', () => {
  it('drained, it is not ready, refuses streams, and ends those that are open without an EndStream but with a notice', async () => {
    const { url, gateway, actor } = await start({ env: { TANDEM_DRAIN_GRACE: '300ms' } });
    const stream = await openStream(url, 'r1');
    const turn = actor('r1');
    await turn.open('r1');
    await turn.texts('a');
    await expect.poll(() => stream.client.texts).toEqual(['a']);
    const drained = gateway.drain();
    expect((await post(url, '/readyz', '', {}, 'GET')).status).toBe(503);
    const refused = await openStream(url, 'r2');
    await refused.over;
    expect(refused.client.endStream).toMatchObject({ code: 'unavailable' });
    expect((await append(url, 'r1', 1)).status).toBe(200);
    await drained;
    expect(await stream.over).toBe(true);
    expect(stream.client.endStream).toBeUndefined();
    const notice = (await turn.commands()).find(({ case: kind }) => kind === 'responseEnded');
    expect(notice).toMatchObject({
      value: { endStream: false, trusted: true, position: { entry: 2n, item: 0 } },
    });
  });

  it('behind a proxy that is not declared trusted, its notices are not either', async () => {
    const { url, gateway, actor } = await start();
    const stream = await openStream(url, 'r1', { 'x-forwarded-for': '10.0.0.1' });
    const turn = actor('r1');
    await turn.open('r1');
    await turn.texts('a');
    await expect.poll(() => stream.client.texts).toEqual(['a']);
    await gateway.drain();
    expect(await turn.commands()).toMatchObject([{ value: { trusted: false } }]);
  });
});

describe('who may do what', () => {
  it('every key gets a token; one of an unknown key is refused as unauthenticated', async () => {
    const { url } = await start();
    const tokenOf = async (key: string) =>
      JSON.parse(
        (
          await post(url, '/auth/exchange_user_api_key', '{}', { authorization: `Bearer ${key}` })
        ).body.toString(),
      ).accessToken as string;
    const good = await tokenOf(ALICE_KEY);
    expect((await append(url, 'r1', 1, { authorization: `Bearer ${good}` })).status).toBe(200);
    const bad = await tokenOf('wrong');
    const refused = await append(url, 'r1', 1, { authorization: `Bearer ${bad}` });
    expect(refused).toMatchObject({ status: 401, error: { code: 'unauthenticated' } });
    const stream = await openStream(url, 'r1', { authorization: `Bearer ${bad}` });
    await stream.over;
    expect(stream.client.endStream).toMatchObject({ code: 'unauthenticated' });
  });

  it('a revoked key is refused at the next call, token or not', async () => {
    const { url, users } = await start();
    const { accessToken } = JSON.parse(
      (await post(url, '/auth/exchange_user_api_key', '{}')).body.toString(),
    );
    const authorization = `Bearer ${accessToken}`;
    expect((await append(url, 'r1', 1, { authorization })).status).toBe(200);
    users.revoked.add('alice');
    expect((await append(url, 'r1', 2, { authorization })).status).toBe(401);
    expect((await append(url, 'r1', 2)).status).toBe(401);
  });

  it('GET /v1/models takes the raw key, and answers a wrong one with 401 and a text', async () => {
    const { url } = await start();
    const models = await post(url, '/v1/models', '', {}, 'GET');
    expect(JSON.parse(models.body.toString())).toMatchObject({
      items: [{ id: 'demo', aliases: ['default'] }],
    });
    const refused = await post(url, '/v1/models', '', { authorization: 'Bearer wrong' }, 'GET');
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.body.toString()).error.message).toContain('API key');
  });
});

describe('small calls', () => {
  it.each([
    [
      'aiserver.v1.ServerConfigService',
      'GetServerConfig',
      aiserver.GetServerConfigResponseSchema,
      { http2Config: 1 },
    ],
    [
      'aiserver.v1.DashboardService',
      'GetTeamReposOrEmptyIfNotInTeam',
      aiserver.GetTeamReposResponseSchema,
      {},
    ],
    [
      'aiserver.v1.DashboardService',
      'GetTeamAdminSettingsOrEmptyIfNotInTeam',
      aiserver.GetTeamAdminSettingsResponseSchema,
      {},
    ],
    ['aiserver.v1.DashboardService', 'GetUserPrivacyMode', aiserver.GetUserPrivacyModeResponseSchema, {}],
  ])('%s/%s answers 200 to anyone', async (service, method, schema, expected) => {
    const { url } = await start();
    const answer = await post(url, `/${service}/${method}`, '', { authorization: 'Bearer wrong' });
    expect(answer.status).toBe(200);
    expect(fromBinary(schema as never, answer.body)).toMatchObject(expected);
  });

  it('BootstrapStatsig takes JSON', async () => {
    const { url } = await start();
    const path = '/aiserver.v1.AnalyticsService/BootstrapStatsig';
    expect((await post(url, path, '{}', { 'content-type': 'application/json' })).status).toBe(200);
  });

  it('lists models to users', async () => {
    const { url } = await start();
    const call = (key: string) => {
      const transport = createConnectTransport({
        baseUrl: url,
        httpVersion: '1.1',
        interceptors: [bearer(key)],
      });
      return createClient(agent.AgentService, transport);
    };
    expect((await call(ALICE_KEY).getUsableModels({})).models).toMatchObject([{ modelId: 'demo' }]);
    expect((await call(ALICE_KEY).nameAgent({ userMessage: '  Fix the build\nplease' })).name).toBe(
      'Fix the build',
    );
    await expect(call('wrong').getUsableModels({})).rejects.toMatchObject({ code: 16 });
  });

  it('what nobody serves is unimplemented, and counted', async () => {
    const { url, metrics } = await start();
    expect(await post(url, '/aiserver.v1.DashboardService/GetTokenUsage', '')).toMatchObject({
      status: 501,
      error: { code: 'unimplemented' },
    });
    expect((await post(url, '/made.up.Service/Thing', '')).status).toBe(501);
    expect((await post(url, '/nothing', '', {}, 'GET')).status).toBe(404);
    const text = await metrics.text();
    expect(text).toContain('method="aiserver.v1.DashboardService/GetTokenUsage"');
    expect(text).toContain('method="other"');
  });
});

it('the probes and the metrics answer, on a port of their own if configured', async () => {
  const { gateway, url } = await start({ env: { TANDEM_ADMIN_PORT: '0' } });
  const admin = `http://127.0.0.1:${gateway.address?.adminPort}`;
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    expect((await post(admin, path, '', {}, 'GET')).status).toBe(200);
    expect((await post(url, path, '', {}, 'GET')).status).toBe(404);
  }
});

function bearer(key: string): Interceptor {
  return (next) => (request) => {
    request.header.set('authorization', `Bearer ${key}`);
    return next(request);
  };
}
