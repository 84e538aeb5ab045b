import { gzipSync } from 'node:zlib';
import { turnKey } from '@tandem/actor-core';
import { afterEach, describe, expect, it } from 'vitest';
import { BOB_KEY } from '../testing/gateway-fixture.ts';
import {
  APPEND_PATH,
  append,
  appendBody,
  decodeStored,
  HEARTBEAT,
  openStream,
  post,
} from '../testing/http-client.ts';
import { closeGateways, start } from '../testing/running-gateways.ts';

afterEach(closeGateways);

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
