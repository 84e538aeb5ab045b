import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient, isHeartbeat, NO_RETRIES, type TurnResult } from '@tandem/client';
import { hashKey } from '@tandem/platform';
import { encodeHex } from '@tandem/proto';
import { makeFolder, removeFolder } from '@tandem/test-support/engines';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { journalFrames } from './harness/frames.ts';
import { type System, startSystem } from './harness/system.ts';

/** All that a client chooses, equal for both: ids, key, message, and so every payload and number. */
const TURN = {
  requestId: 'equal-request',
  conversationId: 'equal-conversation',
  encryptionKey: 'ee'.repeat(32),
  modelId: 'scripted',
  text: 'Hello.',
  retries: NO_RETRIES,
};

let folder: string;
let system: System;
let alice: Client;
let bob: Client;

beforeAll(async () => {
  folder = makeFolder('users');
  const users = join(folder, 'users.yaml');
  const entries = ['alice', 'bob'].map((id) => ({
    id,
    keys: [{ id: 'laptop', sha256: hashKey(`key-of-${id}`) }],
  }));
  writeFileSync(users, JSON.stringify({ users: entries }));
  system = await startSystem({ gateways: 2, workers: 2, env: { TANDEM_USERS_FILE: users } });
  alice = createClient({ baseUrl: system.proxy.url, apiKey: 'key-of-alice' });
  bob = createClient({ baseUrl: system.proxy.url, apiKey: 'key-of-bob' });
});

afterAll(async () => {
  alice?.close();
  bob?.close();
  await system?.[Symbol.asyncDispose]();
  removeFolder(folder);
});

test('two owners with equal ids, payloads and numbers at the same time do not notice each other', async () => {
  const { provider, reader } = system;
  // Both turns are in the middle of their answers at once; which is whose shows in who gets what.
  provider.script('scripted', [
    {
      steps: [
        { type: 'text', text: 'first ' },
        { type: 'hold', name: 'both' },
        { type: 'text', text: 'one' },
      ],
    },
    {
      steps: [
        { type: 'text', text: 'second ' },
        { type: 'hold', name: 'both' },
        { type: 'text', text: 'one' },
      ],
    },
  ]);
  const turns = [alice.runTurn(TURN), bob.runTurn(TURN)];
  await provider.request(2);
  provider.release('both');
  const results = await Promise.all(turns);

  expect(results.map(({ status }) => status)).toEqual(['finished', 'finished']);
  expect(results.map(({ text }) => text).toSorted()).toEqual(['first one', 'second one']);
  const journals = await Promise.all(
    ['alice', 'bob'].map((owner) => journalFrames(reader.log, owner, TURN.requestId)),
  );
  expect(results.map(framesSeen)).toEqual(journals);
  expect(system.proxy.calls.filter(({ path }) => path.endsWith('/RunSSE'))).toHaveLength(2);
});

test('a checkpoint of somebody else opens nothing, not even with their encryption key', async () => {
  system.provider.reset();
  const own = await alice.runTurn({ ...TURN, requestId: 'of-alice', conversationId: 'of-alice' });
  expect(own.status).toBe('finished');
  const before = system.provider.requests.length;
  const stolen = await bob.runTurn({
    ...TURN,
    requestId: 'of-bob',
    conversationId: 'of-alice',
    state: own.checkpoint,
    blobs: { get: () => undefined, set: () => undefined },
  });
  expect(stolen).toMatchObject({ status: 'failed', error: { code: 'failed_precondition' } });
  expect(system.provider.requests).toHaveLength(before);
});

/** A turn's frames as its client got them; with EndStream, which its results do not hold. */
function framesSeen({ frames, attempts }: TurnResult): string[] {
  expect(attempts).toHaveLength(1);
  return [
    ...frames.filter((frame) => !isHeartbeat(frame)).map(({ payload }) => encodeHex(payload)),
    encodeHex(Buffer.from('{}')),
  ];
}
