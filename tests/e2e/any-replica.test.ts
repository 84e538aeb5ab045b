import type { Client } from '@tandem/client';
import type { ProxiedCall } from '@tandem/test-support/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { framesOf, journalFrames } from './harness/frames.ts';
import { saidLast } from './harness/said.ts';
import { type System, startSystem } from './harness/system.ts';

/** 50 turns at a time, half of them the SDK's; four turns a conversation make 200. */
const CONVERSATIONS_EACH = 25;
const TURNS = ['one', 'two', 'three', 'four'];
const END_WELL = Buffer.from('{}').toString('hex');

let system: System;

beforeAll(async () => {
  system = await startSystem({ gateways: 3, workers: 2 });
  system.provider.script('scripted', (request) => ({
    steps: answerTo(saidLast(request)).map((text) => ({ type: 'text', text })),
  }));
});

afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
});

test('200 turns, 50 at a time, each call at another gateway: every client got the frames of its journal, in order', async () => {
  const names = Array.from({ length: CONVERSATIONS_EACH }, (_, index) => String(index));
  await Promise.all([...names.map(holdWithSdk), ...names.map(holdWithOwnClient)]);

  const { proxy, reader, cluster } = system;
  expect(proxy.faults).toEqual([]);
  const streams = proxy.calls.filter(({ path }) => path.endsWith('/RunSSE'));
  expect(streams).toHaveLength(2 * CONVERSATIONS_EACH * TURNS.length);
  for (const stream of streams) {
    expect(stream.status).toBe(200);
    expect(await stream.whole).toBe(true);
    const frames = framesOf(stream.answer);
    expect(frames.length).toBeGreaterThan(answerTo('').length);
    expect(frames.at(-1)).toBe(END_WELL);
    expect(frames).toEqual(await journalFrames(reader.log, cluster.ownerId, stream.requestId));
  }
  expectEachCallElsewhere(streams);
}, 300_000);

test('two turns of the SDK: the second remembers the first', async () => {
  const { sdk, provider } = system;
  const conversation = await sdk.create({ model: 'scripted' });
  const before = provider.requests.length;
  await conversation.say('I like green.');
  await conversation.say('What do I like?');
  const [first, second] = provider.requests.slice(before);
  expect(second?.body.messages.slice(0, first?.body.messages.length)).toEqual(first?.body.messages);
});

async function holdWithSdk(name: string): Promise<void> {
  const conversation = await system.sdk.create({ model: 'scripted' });
  for (const turn of TURNS) {
    const text = `sdk ${name} ${turn}`;
    const { status, shown, error } = await conversation.say(text);
    expect({ status, shown, error }).toEqual({ status: 'finished', shown: answerTo(text).join('') });
  }
}

async function holdWithOwnClient(name: string): Promise<void> {
  const fixed = { conversationId: `own-${name}`, modelId: 'scripted', encryptionKey: '0f'.repeat(32) };
  let state: Awaited<ReturnType<Client['runTurn']>>['checkpoint'];
  for (const turn of TURNS) {
    const text = `own ${name} ${turn}`;
    const result = await system.client.runTurn({ ...fixed, text, state });
    expect(result).toMatchObject({ status: 'finished', text: answerTo(text).join('') });
    expect(result.attempts).toHaveLength(1);
    state = result.checkpoint;
  }
}

/** What the model says to a message, in pieces; its own words, so that nobody can mistake one answer for another. */
function answerTo(said: string): string[] {
  return [
    `You said `,
    `"${said}" `,
    ...Array.from({ length: 10 }, (_, index) => `${said}-${index} `),
    'and that is all.',
  ];
}

function expectEachCallElsewhere(streams: readonly ProxiedCall[]): void {
  for (const { requestId } of streams) {
    const gateways = system.proxy.calls
      .filter((call) => call.requestId === requestId)
      .map(({ gateway }) => gateway);
    expect(gateways.length).toBeGreaterThanOrEqual(3);
    expect(new Set(gateways).size).toBe(3);
  }
}
