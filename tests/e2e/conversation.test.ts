import { createClient, MemoryBlobStore } from '@tandem/client';
import { type Standalone, startStandalone } from '@tandem/test-support/cluster';
import {
  type ProviderRequest,
  type ScriptedProvider,
  startScriptedProvider,
} from '@tandem/test-support/provider';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSdk } from './harness/sdk.ts';

let provider: ScriptedProvider;

beforeAll(async () => {
  provider = await startScriptedProvider();
});

beforeEach(() => {
  provider.reset();
  provider.script('scripted', {
    steps: [
      { type: 'text', text: 'Noted, ' },
      { type: 'text', text: 'green.' },
    ],
  });
});

afterAll(async () => {
  await provider.close();
});

/** Blobs in memory that count how often they are asked for. */
class CountingBlobStore extends MemoryBlobStore {
  gets = 0;

  override get(id: Uint8Array): Uint8Array | undefined {
    this.gets += 1;
    return super.get(id);
  }
}

describe.each([
  { cache: 'on', size: '64MiB' },
  { cache: 'off', size: '0' },
])('with the blob cache $cache', ({ cache, size }) => {
  let server: Standalone;

  beforeAll(async () => {
    server = await startStandalone({
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'provider-key',
      TANDEM_OPENAI_MODELS: 'scripted',
      TANDEM_BLOB_CACHE_SIZE: size,
    });
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  test('the second turn of the SDK shows the model what the first did, and more', async () => {
    await using sdk = await startSdk(server);
    const conversation = await sdk.create({ model: 'scripted' });
    expect(await conversation.say('The colour is green.')).toMatchObject({
      status: 'finished',
      shown: 'Noted, green.',
    });
    expect(await conversation.say('Which colour?')).toMatchObject({
      status: 'finished',
      shown: 'Noted, green.',
    });
    expectToContinue(await provider.request(1), await provider.request(2));
  });

  test('and so does that of our own client, which is asked for blobs only when it has to be', async () => {
    const blobs = new CountingBlobStore();
    const client = createClient({ ...server, baseUrl: server.url, blobs });
    const turn = { conversationId: 'own', modelId: 'scripted', encryptionKey: '5a'.repeat(32) };
    const first = await client.runTurn({ ...turn, text: 'The colour is green.' });
    expect(first).toMatchObject({ status: 'finished', text: 'Noted, green.' });
    expect(blobs.gets).toBe(0);
    const second = await client.runTurn({ ...turn, text: 'Which colour?', state: first.checkpoint });
    expect(second).toMatchObject({ status: 'finished', text: 'Noted, green.' });
    if (cache === 'on') expect(blobs.gets).toBe(0);
    else expect(blobs.gets).toBeGreaterThan(0);
    client.close();
    expectToContinue(await provider.request(1), await provider.request(2));
  });
});

/** Byte for byte, as a provider's prefix cache sees it. */
function expectToContinue(first: ProviderRequest, second: ProviderRequest): void {
  const [before, after] = [first, second].map(({ body }) => JSON.stringify(body.messages)) as [
    string,
    string,
  ];
  expect(first.body.messages.length).toBeGreaterThanOrEqual(2);
  expect(second.body.messages.length).toBe(first.body.messages.length + 2);
  expect(after.slice(0, before.length - 1)).toBe(before.slice(0, -1));
}
