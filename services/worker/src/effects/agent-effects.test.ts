import { create } from '@bufbuild/protobuf';
import { VirtualClock } from '@tandem/actor-core/testing';
import type { AgentResult, ModelEvent } from '@tandem/agent';
import { TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';
import { expect, test } from 'vitest';
import { sealedBlobCache } from '../blob-cache/blob-cache.ts';
import { MemoryBlobStore } from '../blob-cache/memory-blob-store.ts';
import { OPEN_GATE } from '../limits/call-gate.ts';
import { ModelSlots } from '../model-slots/model-slots.ts';
import { agentEffects } from './agent-effects.ts';

const facts = {
  ownerId: 'alice',
  generation: 1,
  requestId: 'r1',
  info: create(tandem.RequestInfoSchema, { blobEncryptionKey: new Uint8Array(32) }),
};
const request = { model: 'm', messages: [], tools: [], parameters: {}, conversationId: 'c' };
const text = (value: string): ModelEvent => ({ type: 'text', text: value });

function harness(call: (signal: AbortSignal) => AsyncIterable<ModelEvent>) {
  const slots = new ModelSlots(1);
  const store = new MemoryBlobStore({ clock: new VirtualClock(), maxBytes: 1000, maxAgeMs: 1000 });
  const runner = agentEffects({
    models: { call: (_request, signal) => call(signal) },
    slots,
    blobs: sealedBlobCache(store, () => {}),
    gate: OPEN_GATE,
    web: { fetch: async () => Promise.reject(new Error('no web here')), search: undefined },
  });
  const results: AgentResult[] = [];
  const stop = new AbortController();
  const run = (effect: Parameters<typeof runner.run>[0]) =>
    runner.run(effect, facts, (result) => results.push(result), stop.signal);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { slots, results, stop, run, settle };
}

test("a call's events are told in order, and its slot is given back", async () => {
  const h = harness(async function* () {
    yield text('a');
    yield text('b');
  });
  h.run({ type: 'model_call', call: 1, request, subagent: false });
  await h.settle();
  expect(h.results).toEqual([
    { type: 'model_event', call: 1, event: text('a') },
    { type: 'model_event', call: 1, event: text('b') },
  ]);
  expect(h.slots.taken).toBe(0);
});

test('a call that fails is a result', async () => {
  // biome-ignore lint/correctness/useYield: it fails before its first event
  const h = harness(async function* () {
    throw new TandemError('provider_auth');
  });
  h.run({ type: 'model_call', call: 1, request, subagent: false });
  await h.settle();
  expect(h.results).toMatchObject([{ type: 'model_failed', call: 1, error: { reason: 'provider_auth' } }]);
});

test('an aborted call ends its stream, tells nothing more and frees its slot', async () => {
  let aborted = false;
  const h = harness(async function* (signal) {
    yield text('a');
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    aborted = true;
    yield text('b');
  });
  h.run({ type: 'model_call', call: 1, request, subagent: false });
  await h.settle();
  h.run({ type: 'abort_model', call: 1 });
  await h.settle();
  expect(aborted).toBe(true);
  expect(h.results).toHaveLength(1);
  expect(h.slots.taken).toBe(0);
});

test('cached blobs are found again, others are named as missing', async () => {
  const h = harness(async function* () {});
  const data = Buffer.from('x');
  const id = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';
  h.run({ type: 'cache_blobs', blobs: [{ id, data }] });
  await h.settle();
  h.run({ type: 'load_blobs', ids: [id, 'ff'] });
  await h.settle();
  expect(h.results).toEqual([{ type: 'blobs_loaded', found: new Map([[id, data]]), missing: ['ff'] }]);
});

test('a job that fails is a result; an aborted one is none', async () => {
  const h = harness(async function* () {});
  h.run({ type: 'run_job', name: 'j', job: { type: 'web_fetch', url: 'https://example.com/' } });
  h.run({ type: 'run_job', name: 'k', job: { type: 'web_search', query: 'x' } });
  h.run({ type: 'run_job', name: 'l', job: { type: 'web_search', query: 'x' } });
  h.run({ type: 'abort_job', name: 'l' });
  await h.settle();
  expect(h.results).toEqual(
    expect.arrayContaining([
      { type: 'job_done', name: 'j', result: { type: 'failed', reason: 'no web here' } },
      {
        type: 'job_done',
        name: 'k',
        result: { type: 'failed', reason: 'No search provider is configured.' },
      },
    ]),
  );
  expect(h.results).toHaveLength(2);
});
