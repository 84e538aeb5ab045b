import { createHash, randomBytes } from 'node:crypto';
import { VirtualClock } from '@tandem/actor-core/testing';
import { expect, test } from 'vitest';
import { type BlobStore, sealedBlobCache } from './blob-cache.ts';
import { MemoryBlobStore } from './memory-blob-store.ts';

const HOUR = 3_600_000;

function blob(text: string) {
  const data = Buffer.from(text);
  return { id: createHash('sha256').update(data).digest('hex'), data };
}

function memory(options: { maxBytes?: number } = {}) {
  const clock = new VirtualClock();
  const store = new MemoryBlobStore({ clock, maxBytes: options.maxBytes ?? 1_000_000, maxAgeMs: HOUR });
  return { clock, store, cache: sealedBlobCache(store, (error) => expect.fail(String(error))) };
}

const alice = { ownerId: 'alice', key: randomBytes(32) };

test('a blob is found by its owner with the same key, and by nobody else', async () => {
  const { cache } = memory();
  const one = blob('one');
  await cache.put(alice, [one]);
  expect((await cache.get(alice, [one.id])).get(one.id)).toEqual(one.data);
  expect((await cache.get({ ...alice, ownerId: 'bob' }, [one.id])).size).toBe(0);
  expect((await cache.get({ ...alice, key: randomBytes(32) }, [one.id])).size).toBe(0);
});

test('the store sees neither contents nor ids', async () => {
  const seen: { name: string; sealed: Uint8Array }[] = [];
  const store: BlobStore = { get: async () => [], put: async (entries) => void seen.push(...entries) };
  const secret = blob('a very secret text');
  await sealedBlobCache(store, () => {}).put(alice, [secret]);
  expect(seen).toHaveLength(1);
  expect(seen[0]?.name).not.toContain(secret.id);
  expect(Buffer.from(seen[0]?.sealed ?? []).includes('secret')).toBe(false);
});

test('without a key of 32 bytes nothing is kept', async () => {
  const { cache } = memory();
  const keyless = { ownerId: 'alice', key: new Uint8Array() };
  await cache.put(keyless, [blob('one')]);
  expect((await cache.get(keyless, [blob('one').id])).size).toBe(0);
});

test('damaged or foreign contents count as absent', async () => {
  const one = blob('one');
  const two = blob('two');
  const kept = new Map<string, Uint8Array>();
  const store: BlobStore = {
    get: async (names) => names.map((name) => kept.get(name)),
    put: async (entries) => {
      for (const { name, sealed } of entries) kept.set(name, sealed);
    },
  };
  const cache = sealedBlobCache(store, () => {});
  await cache.put(alice, [one, two]);
  const [first, second] = [...kept.keys()] as [string, string];
  kept.set(first, kept.get(second) ?? new Uint8Array());
  kept.set(second, new Uint8Array(5));
  expect((await cache.get(alice, [one.id, two.id])).size).toBe(0);
});

test('a store that fails is told of, and costs a miss', async () => {
  const faults: unknown[] = [];
  const store: BlobStore = {
    get: () => Promise.reject(new Error('away')),
    put: () => Promise.reject(new Error('away')),
  };
  const cache = sealedBlobCache(store, (error) => faults.push(error));
  await cache.put(alice, [blob('one')]);
  expect((await cache.get(alice, [blob('one').id])).size).toBe(0);
  expect(faults).toHaveLength(2);
});

test('what was used last stays, up to the bytes and the age allowed', async () => {
  const { cache, clock } = memory({ maxBytes: 250 });
  const [a, b, c] = [blob('a'.repeat(60)), blob('b'.repeat(60)), blob('c'.repeat(60))];
  await cache.put(alice, [a, b]);
  await cache.get(alice, [a.id]);
  await cache.put(alice, [c]);
  expect([...(await cache.get(alice, [a.id, b.id, c.id])).keys()]).toEqual([a.id, c.id]);
  await clock.advance(2 * HOUR);
  expect((await cache.get(alice, [a.id, c.id])).size).toBe(0);
});
