import {
  MemoryDispatch,
  MemoryLeases,
  MemoryLog,
  MemoryRetention,
  MemorySignals,
  MemoryUsage,
} from '@tandem/actor-core/memory';
import { seededEntropy, VirtualClock } from '@tandem/actor-core/testing';
import type { ModelCall, ModelEvent } from '@tandem/agent';
import { expect, it } from 'vitest';
import { MemoryBlobStore } from '../blob-cache/memory-blob-store.ts';
import { createWorker } from '../create-worker.ts';
import { MemoryClient } from '../testing/memory-client.ts';
import { ModelSlots } from './model-slots.ts';

const USAGE = {
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
const PARENT = 'Ask somebody.';

/** A parent gives its task away, then says what came back; everybody else answers at once. */
function script({ messages }: ModelCall): ModelEvent[] {
  const end = (reason: 'stop' | 'tool_calls'): ModelEvent => ({
    type: 'finish',
    reason,
    usage: USAGE,
    deployment: 'd',
  });
  const last = messages.at(-1);
  if (last?.role === 'tool') return [{ type: 'text', text: JSON.stringify(last.content) }, end('stop')];
  if (!JSON.stringify(last).includes(PARENT)) return [{ type: 'text', text: 'It is so.' }, end('stop')];
  const input = JSON.stringify({ description: 'ask', prompt: 'Is it so?', type: 'explore' });
  return [{ type: 'tool_call', id: 'c1', name: 'task', input }, end('tool_calls')];
}

/** @param turns as many as the user may run at a time */
function setUp(limit: number, turns: number) {
  const clock = new VirtualClock();
  const entropy = seededEntropy(1);
  const log = new MemoryLog({ clock });
  const dispatch = new MemoryDispatch({ clock });
  const slots = new ModelSlots(limit);
  const seen = { most: 0, calls: 0 };
  const failures: unknown[] = [];
  const worker = createWorker({
    workerId: 'w1',
    log,
    signals: new MemorySignals({ clock }),
    leases: new MemoryLeases({ clock }),
    retention: new MemoryRetention({ clock, log }),
    queue: dispatch.queue(),
    clock,
    entropy,
    models: {
      find: (id) => (id === 'm' ? { id, contextWindow: 100_000, supportsImages: false } : undefined),
      listing: () => [],
      close: () => Promise.resolve(),
      async *call(call) {
        seen.calls += 1;
        seen.most = Math.max(seen.most, slots.taken);
        // A call takes its time, so that all of them want their slot at once.
        await new Promise<void>((resolve) => clock.after(200, resolve));
        yield* script(call);
      },
    },
    slots,
    blobStore: new MemoryBlobStore({ clock, maxBytes: 1, maxAgeMs: 1 }),
    observers: {
      session: { logicFailed: (_key, error) => void failures.push(error) },
      host: { sessionFailed: (_key, error) => void failures.push(error) },
      calls: () => ({ deployment: () => {} }) as never,
    },
    usage: {
      ledger: new MemoryUsage({ clock }),
      policies: {
        policyOf: (ownerId) => ({
          ownerId,
          models: undefined,
          limits: { concurrentTurns: turns },
          groups: [],
        }),
        ownerIds: [],
        reload: () => Promise.resolve(),
      },
      costOf: () => undefined,
      observer: {},
    },
    onBlobCacheFault: (error) => void failures.push(error),
  });
  const client = new MemoryClient({ log, clock, dispatcher: dispatch, entropy });
  return { clock, worker, client, slots, seen, failures };
}

it.each([
  [1, 5],
  [2, 6],
])('with %i slots, %i parents that wait for subagents all come to an end', async (limit, parents) => {
  const { clock, worker, client, slots, seen, failures } = setUp(limit, parents);
  await worker.start();
  for (let index = 0; index < parents; index++) await client.open(`p${index}`, PARENT);
  for (let round = 0; round < 400 && !(client.runs.length === 2 * parents && client.done); round++) {
    await clock.advance(100);
    await client.poll();
  }
  expect(failures).toEqual([]);
  expect(client.runs).toHaveLength(2 * parents);
  expect(client.runs.every(({ completed }) => completed)).toBe(true);
  for (const { text } of client.runs.slice(0, parents)) expect(text).toContain('It is so.');
  // Each parent calls twice, each child once, never more at a time than there are slots.
  expect(seen).toEqual({ most: limit, calls: 3 * parents });
  expect(slots.taken).toBe(0);
});
