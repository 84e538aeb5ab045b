import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { aiserver } from '@tandem/proto';
import { afterEach, describe, expect, test } from 'vitest';
import { type Client, createClient } from './client.ts';
import { type Script, type ScriptedServer, startScriptedServer } from './testing/scripted-server.ts';

let server: ScriptedServer;
let client: Client;

afterEach(async () => {
  client.close();
  await server[Symbol.asyncDispose]();
  expect(server.faults).toEqual([]);
});

async function start(script: Script): Promise<void> {
  server = await startScriptedServer(script);
  client = createClient({ baseUrl: `${server.baseUrl}/`, apiKey: 'key' });
}

test('models are asked for with the key itself', async () => {
  await start({
    other: (request, _body, response) => {
      expect(request.url).toBe('/v1/models');
      expect(request.headers.authorization).toBe('Bearer key');
      response.end(JSON.stringify({ items: [{ id: 'demo' }] }));
    },
  });
  expect(await client.models()).toEqual([{ id: 'demo' }]);
});

test('a refused key says so', async () => {
  await start({
    other: (_request, _body, response) => {
      response.writeHead(401).end(JSON.stringify({ error: { code: 'unauthenticated', message: 'bad key' } }));
    },
  });
  await expect(client.models()).rejects.toMatchObject({
    name: 'ServerError',
    code: 'unauthenticated',
    httpStatus: 401,
    retryable: false,
    message: '[unauthenticated] bad key',
  });
});

describe('a small RPC', () => {
  const { getServerConfig } = aiserver.ServerConfigService.method;

  test('goes out and comes back in binary, with the token', async () => {
    await start({
      other: (request, body, response) => {
        expect(request.url).toBe('/aiserver.v1.ServerConfigService/GetServerConfig');
        expect(request.headers.authorization).toBe('Bearer token of Bearer key');
        expect(fromBinary(getServerConfig.input, body).telemEnabled).toBe(true);
        response.end(
          toBinary(getServerConfig.output, create(getServerConfig.output, { configVersion: '7' })),
        );
      },
    });
    expect((await client.call(getServerConfig, { telemEnabled: true })).configVersion).toBe('7');
  });

  test("a proxy's error page is an error of its status", async () => {
    await start({ other: (_request, _body, response) => response.writeHead(502).end('<html>') });
    await expect(client.call(getServerConfig, {})).rejects.toMatchObject({
      code: 'unavailable',
      message: '[unavailable] HTTP status 502',
    });
  });
});

test('a server that is not there is said to be', async () => {
  await start({});
  await server[Symbol.asyncDispose]();
  await expect(client.models()).rejects.toMatchObject({ name: 'ConnectionError', fault: 'unreachable' });
  await start({});
});
