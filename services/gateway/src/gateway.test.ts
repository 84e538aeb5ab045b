import { Agent, request as http1Request, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { ALICE_KEY } from './testing/gateway-fixture.ts';
import { APPEND_PATH, append, appendBody, openStream, post } from './testing/http-client.ts';
import { closeGateways, start } from './testing/running-gateways.ts';

afterEach(closeGateways);

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

  it('lets appends that are under way finish, on connections that close behind them', async () => {
    const { url, gateway, actor } = await start({ env: { TANDEM_DRAIN_GRACE: '200ms' } });
    const body = appendBody('r1', 1);
    const request = http1Request(new URL(APPEND_PATH, url), {
      method: 'POST',
      agent: new Agent({ keepAlive: true }),
      headers: { authorization: `Bearer ${ALICE_KEY}`, 'content-type': 'application/proto' },
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      request.once('error', reject);
    });
    request.write(body.subarray(0, 3));
    await expect.poll(async () => (await append(url, 'r1', 0)).status).toBe(200);
    const drained = gateway.drain();
    expect((await append(url, 'r1', 2)).headers.connection).toBe('close');
    await expect.poll(() => append(url, 'r1', 3).catch(() => 'refused')).toBe('refused');
    request.end(body.subarray(3));
    const answer = await answered;
    answer.resume();
    expect(answer.statusCode).toBe(200);
    await drained;
    expect(
      (await actor('r1').commands()).map((kind) => kind.case === 'append' && kind.value.seqno),
    ).toContain(1n);
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

it('the probes and the metrics answer, on a port of their own if configured', async () => {
  const { gateway, url } = await start({ env: { TANDEM_ADMIN_PORT: '0' } });
  const admin = `http://127.0.0.1:${gateway.address?.adminPort}`;
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    expect((await post(admin, path, '', {}, 'GET')).status).toBe(200);
    expect((await post(url, path, '', {}, 'GET')).status).toBe(404);
  }
});
