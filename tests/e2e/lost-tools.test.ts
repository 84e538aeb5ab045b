import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownerOf, until } from '@tandem/test-support/cluster';
import type { Reply } from '@tandem/test-support/provider';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCuttingProxy } from './harness/cutting-proxy.ts';
import { type Sdk, startSdk } from './harness/sdk.ts';
import { type System, startSystem } from './harness/system.ts';

/** Tells that it began, each time that it does, and waits until it may end. */
const COMMAND = 'echo began >> log; while [ ! -e go ]; do sleep 0.1; done; echo through';

let system: System;

beforeEach(async () => {
  system = await startSystem({ gateways: 2, workers: 2 });
  system.provider.script('scripted', [
    call('run_command', { command: COMMAND }),
    { steps: [{ type: 'text', text: 'All done.' }] },
  ]);
});

afterEach(async () => {
  await system?.[Symbol.asyncDispose]();
});

test('a worker is killed while the client runs a command: its result reaches the next one, and it ran once', async () => {
  const { sdk, proxy } = system;
  const { turn } = await begin(sdk);
  const owner = await ownerOf(system.cluster.workers);
  await owner.kill();
  await ownerOf(system.cluster.workers.filter((worker) => worker !== owner));
  release(sdk);

  expect(await turn).toMatchObject({ status: 'finished', result: 'All done.' });
  expect(began(sdk)).toBe(1);
  expect(await resultOf(2)).toMatch(/^through\n\[Exit code 0;/);
  expect(system.provider.requests).toHaveLength(2);
  expect(proxy.calls.filter(({ path }) => path.endsWith('/RunSSE'))).toHaveLength(1);
});

test('a client tries again while it runs a command: it is not run twice, and the model is told what is not known', async () => {
  const { cluster, provider } = system;
  await using proxy = await startCuttingProxy(
    cluster.gateways.map(({ url }) => url),
    () => false,
  );
  await using sdk = await startSdk({ url: proxy.url, apiKey: cluster.apiKey });
  const { turn } = await begin(sdk);
  (await proxy.stream('Run it.', 1)).reset();
  // The SDK tries again once what it runs has ended, and forgets its result.
  release(sdk);

  expect(await turn).toMatchObject({ status: 'finished', result: 'All done.' });
  expect(began(sdk)).toBe(1);
  expect(await resultOf(2)).toBe('Interrupted, outcome unknown: check before repeating it.');
  expect(provider.requests).toHaveLength(2);
  expect(proxy.streams).toHaveLength(2);
});

/** Lets the SDK hold a turn up to where its command runs. */
async function begin(sdk: Sdk) {
  const conversation = await sdk.create({ model: 'scripted' });
  const turn = conversation.say('Run it.');
  await until('the command runs', async () => existsSync(join(sdk.cwd, 'log')));
  return { turn };
}

function release(sdk: Sdk): void {
  writeFileSync(join(sdk.cwd, 'go'), '');
}

function began(sdk: Sdk): number {
  return readFileSync(join(sdk.cwd, 'log'), 'utf8').split('\n').length - 1;
}

/** What the model read of its call in its n-th request. */
async function resultOf(request: number): Promise<string> {
  const { body } = await system.provider.request(request);
  const messages = body.messages as { role: string; content: string }[];
  return messages.findLast(({ role }) => role === 'tool')?.content ?? '';
}

function call(name: string, args: unknown): Reply {
  return {
    steps: [
      { type: 'tool_call', id: 'call-1', name, arguments: JSON.stringify(args) },
      { type: 'finish', reason: 'tool_calls' },
    ],
  };
}
