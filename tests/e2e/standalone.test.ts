import { createServer } from 'node:net';
import { createClient } from '@tandem/client';
import { type Standalone, startService, startStandalone } from '@tandem/test-support/cluster';
import { makeFolder, removeFolder } from '@tandem/test-support/engines';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSdk } from './harness/sdk.ts';

let server: Standalone;

beforeAll(async () => {
  server = await startStandalone();
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

test('the official SDK holds two turns, and the second remembers the first', async () => {
  await using sdk = await startSdk(server);
  const conversation = await sdk.create({ model: 'demo' });
  const first = await conversation.say('My name is Ada.');
  expect(first).toMatchObject({ status: 'finished' });
  expect(first.shown).toContain('“My name is Ada.”');
  const second = await conversation.say('And now?');
  expect(second).toMatchObject({ status: 'finished' });
  expect(second.shown).toContain('before it you said: “My name is Ada.”');
  expect(second.result).toBe(second.shown);
  expect(second.usage?.inputTokens).toBeGreaterThan(first.usage?.inputTokens ?? Infinity);
});

test('the example does the same', async () => {
  const home = makeFolder('example');
  const example = startService({
    name: 'example',
    main: 'examples/sdk-two-turns/main.ts',
    cwd: home,
    env: { HOME: home, CURSOR_BACKEND_URL: server.url, CURSOR_API_KEY: server.apiKey },
  });
  expect(await example.exited, example.output()).toBe(0);
  expect(example.output()).toContain('The second turn remembers the first.');
  removeFolder(home);
});

test('the chat command prints the answer', async () => {
  const chat = startService({
    name: 'chat',
    main: 'packages/client/src/chat.ts',
    args: ['hello', 'there'],
    env: { TANDEM_URL: server.url, CURSOR_API_KEY: server.apiKey },
  });
  expect(await chat.exited, chat.output()).toBe(0);
  expect(chat.output()).toContain('“hello there”');
});

test('a wrong key is refused at once, by SDK and by own client', async () => {
  await using sdk = await startSdk({ url: server.url, apiKey: 'wrong' });
  await expect(sdk.create({ model: 'demo' })).rejects.toThrow(/AuthenticationError/);
  const client = createClient({ baseUrl: server.url, apiKey: 'wrong' });
  await expect(client.models()).rejects.toMatchObject({ code: 'unauthenticated' });
  const turn = await client.runTurn({ conversationId: 'c', modelId: 'demo', text: 'hello' });
  expect(turn).toMatchObject({ status: 'failed', error: { code: 'unauthenticated' } });
  expect(turn.attempts).toHaveLength(1);
  client.close();
});

describe('start and end', () => {
  test('SIGINT ends it with exit code 0', async () => {
    const { service } = await startStandalone();
    expect(await service.stop('SIGINT'), service.output()).toBe(0);
  });

  test('SIGINT in the middle of a turn, too', async () => {
    const { service, url, apiKey } = await startStandalone();
    const client = createClient({ baseUrl: url, apiKey });
    const begun = Promise.withResolvers<void>();
    const cancel = new AbortController();
    const turn = client.runTurn({
      conversationId: 'c',
      modelId: 'demo',
      text: 'hello',
      signal: cancel.signal,
      onFrame: () => begun.resolve(),
    });
    await begun.promise;
    expect(await service.stop('SIGINT'), service.output()).toBe(0);
    cancel.abort();
    expect((await turn).status).toMatch(/canceled|finished/);
    client.close();
  });

  test('a port that is taken is told', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const service = startService({
      name: 'standalone',
      main: 'services/standalone/src/main.ts',
      env: { TANDEM_PORT: String(port) },
    });
    expect(await service.exited).toBe(2);
    expect(service.output()).toContain(`TANDEM_PORT: port ${port} is taken`);
    taken.close();
  });

  test('all faults of the configuration are told at once', async () => {
    const service = startService({
      name: 'standalone',
      main: 'services/standalone/src/main.ts',
      env: { TANDEM_PORT: 'http', TANDEM_LOG_LEVEL: 'loud' },
    });
    expect(await service.exited).toBe(2);
    expect(service.output()).toMatch(/TANDEM_PORT: .*\n.*TANDEM_LOG_LEVEL: /);
  });
});
