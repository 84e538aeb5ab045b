import { setTimeout as delay } from 'node:timers/promises';
import { turnKey } from '@tandem/actor-core';
import { NO_RETRIES, type TurnResult } from '@tandem/client';
import { readMetric, until } from '@tandem/test-support/cluster';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { journalEntries } from '../harness/frames.ts';
import { saidLast } from '../harness/said.ts';
import { type System, startSystem } from '../harness/system.ts';

/** A lease lasts 3 s and a job's lock 4 s, unless they are renewed. */
const SEVERAL_LEASES_MS = 10_000;
const TURNS_A_WORKER = 3;
const NAMES = Array.from({ length: 10 }, (_, index) => `turn-${index}`);

let system: System;

beforeAll(async () => {
  system = await startSystem({
    gateways: 1,
    workers: 2,
    env: { TANDEM_WORKER_TURNS: String(TURNS_A_WORKER) },
  });
});

beforeEach(() => {
  system.provider.reset();
});

afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
});

test('R1: ten turns over two workers, each longer than lease and lock: none is run twice', async () => {
  const turns = holdTen('two-workers');
  await system.provider.request(2 * TURNS_A_WORKER);
  await delay(SEVERAL_LEASES_MS);
  expect(system.provider.requests).toHaveLength(2 * TURNS_A_WORKER);
  system.provider.release('long');
  await expectEachRunOnce(await turns);
});

test('R1: a finished run that is dispatched again is acknowledged and skipped', async () => {
  const { client, provider, reader, cluster } = system;
  const turn = await client.runTurn({
    ...said('done'),
    requestId: 'dispatched-again',
    text: 'Say something.',
  });
  expect(turn.status).toBe('finished');
  const journal = await journalEntries(reader.log, cluster.ownerId, 'dispatched-again');
  const key = turnKey(cluster.ownerId, 'dispatched-again');
  for (let times = 0; times < 3; times += 1) {
    await reader.dispatcher.dispatch(key);
    await until('the job is over', async () => (await reader.dispatcher.place(key)) === 'absent');
  }
  expect(provider.requests).toHaveLength(1);
  expect(await journalEntries(reader.log, cluster.ownerId, 'dispatched-again')).toEqual(journal);
});

test('R1: a worker that wakes up after another took its run over writes nothing: no frame, no request, no checkpoint', async () => {
  const { client, provider, cluster, reader } = system;
  provider.script('scripted', [
    {
      steps: [
        { type: 'text', text: 'one ' },
        { type: 'hold', name: 'asleep' },
        { type: 'text', text: 'never seen' },
        { type: 'tool_call', id: 'never-run', name: 'read_file', arguments: '{"path":"never-read"}' },
      ],
    },
    {
      steps: [
        { type: 'text', text: 'two ' },
        { type: 'hold', name: 'taken over' },
        { type: 'text', text: 'three' },
      ],
    },
  ]);
  const turn = client.runTurn({ ...said('asleep'), requestId: 'asleep', text: 'Count.' });
  await provider.held('asleep');
  const owner = await until('one worker runs the turn', async () => {
    const running = await Promise.all(
      cluster.workers.map(({ url }) => readMetric(url, 'tandem_turns_running')),
    );
    return cluster.workers[running.indexOf(1)];
  });
  owner.pause();
  await provider.held('taken over');

  // All that its model goes on to say is in its socket when it wakes up.
  provider.release('asleep');
  owner.resume();
  await until('it gave the turn up', async () => (await readMetric(owner.url, 'tandem_turns_running')) === 0);
  provider.release('taken over');

  const { status, text, frames } = await turn;
  expect({ status, text }).toEqual({ status: 'finished', text: 'one two three' });
  // The step's call, and the one that goes on where it was cut.
  expect(provider.requests).toHaveLength(2);
  const entries = await journalEntries(reader.log, cluster.ownerId, 'asleep');
  const epochs = entries.map(({ epoch }) => Number(epoch));
  expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
  expect(new Set(epochs).size).toBe(2);
  const asked = frames.map(({ message: { message } }) =>
    message.case === 'execServerMessage' ? message.value.message.case : undefined,
  );
  expect(asked.filter((kind) => kind !== undefined)).toEqual(['requestContextArgs']);
});

test('R1: ten turns queued on one worker: those that wait their turn neither expire nor run twice', async () => {
  const [stays, goes] = system.cluster.workers;
  expect(await goes?.stop()).toBe(0);
  const turns = holdTen('one-worker');
  await system.provider.request(TURNS_A_WORKER);
  await delay(SEVERAL_LEASES_MS);
  expect(system.provider.requests).toHaveLength(TURNS_A_WORKER);
  expect(await readMetric(stays?.url ?? '', 'tandem_turns_running')).toBe(TURNS_A_WORKER);
  system.provider.release('long');
  await expectEachRunOnce(await turns);
});

/** Ten turns whose models stand still until `long` is released. */
function holdTen(group: string): Promise<TurnResult[]> {
  system.provider.script('scripted', {
    steps: [
      { type: 'text', text: 'a ' },
      { type: 'hold', name: 'long' },
      { type: 'text', text: 'b' },
    ],
  });
  const hold = (name: string) => {
    const requestId = `${group}-${name}`;
    return system.client.runTurn({ ...said(requestId), requestId, text: requestId });
  };
  return Promise.all(NAMES.map(hold));
}

function said(conversationId: string) {
  return { conversationId, modelId: 'scripted', retries: NO_RETRIES };
}

async function expectEachRunOnce(turns: readonly TurnResult[]): Promise<void> {
  const { provider, reader, cluster } = system;
  for (const turn of turns) expect(turn).toMatchObject({ status: 'finished', text: 'a b' });
  const calls = provider.requests.map(saidLast).toSorted();
  const ids = turns.map(({ attempts }) => attempts[0]?.requestId ?? '');
  expect(calls).toEqual(ids.toSorted());
  for (const id of ids) {
    const entries = await journalEntries(reader.log, cluster.ownerId, id);
    expect(new Set(entries.map(({ epoch }) => epoch)).size).toBe(1);
  }
}
