import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { aiserver, encodeEnvelope } from '@tandem/proto';
import { afterEach, describe, expect, it } from 'vitest';
import { bearer } from '../testing/bearer.ts';
import { CollectingSink } from '../testing/collecting-sink.ts';
import { ALICE_KEY } from '../testing/gateway-fixture.ts';
import { HEARTBEAT, STREAM_PATH, streamBody } from '../testing/http-client.ts';
import { closeGateways, start } from '../testing/running-gateways.ts';

afterEach(closeGateways);

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
