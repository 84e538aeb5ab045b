import { TandemError } from '@tandem/errors';
import { afterEach, expect, test, vi } from 'vitest';
import { createHealth } from './health.ts';

afterEach(() => void vi.useRealTimers());

test('ready when all checks are well; facts are told', async () => {
  const health = createHealth();
  expect(await health.check()).toEqual({ ready: true, checks: {} });
  health.add('log', async () => ({ durable: true }));
  health.add('lease', async () => {});
  const ms = expect.any(Number);
  expect(await health.check()).toEqual({
    ready: true,
    checks: { log: { ok: true, ms, facts: { durable: true } }, lease: { ok: true, ms } },
  });
});

test('a check that fails is told by its reason, not its text', async () => {
  const health = createHealth();
  health.add('known', async () =>
    Promise.reject(new TandemError('cluster_unavailable', { message: 'planted' })),
  );
  health.add('unknown', () => {
    throw new Error('planted');
  });
  const result = await health.check();
  expect(result).toMatchObject({
    ready: false,
    checks: {
      known: { ok: false, reason: 'cluster_unavailable' },
      unknown: { ok: false, reason: 'internal' },
    },
  });
  expect(JSON.stringify(result)).not.toContain('planted');
});

test('a check that hangs fails in time and is told to stop', async () => {
  vi.useFakeTimers();
  const health = createHealth({ timeoutMs: 100 });
  let stopped = false;
  health.add('hangs', (signal) => {
    signal.addEventListener('abort', () => {
      stopped = true;
    });
    return new Promise(() => {});
  });
  const result = health.check();
  await vi.advanceTimersByTimeAsync(100);
  expect(await result).toMatchObject({ ready: false, checks: { hangs: { ok: false, reason: 'timeout' } } });
  expect(stopped).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('those who ask meanwhile or soon after share a result', async () => {
  let time = 0;
  const health = createHealth({ maxAgeMs: 1000, now: () => time });
  const waiting = Promise.withResolvers<void>();
  const probe = vi.fn(() => waiting.promise);
  health.add('x', probe);
  const first = health.check();
  time = 5000;
  const second = health.check();
  expect(probe).toHaveBeenCalledTimes(1);
  waiting.resolve();
  await Promise.all([first, second]);
  time = 6000;
  await health.check();
  expect(probe).toHaveBeenCalledTimes(1);
  time = 6001;
  await health.check();
  expect(probe).toHaveBeenCalledTimes(2);
});

test('draining counts at once', async () => {
  const health = createHealth();
  health.add('x', async () => {});
  await health.check();
  health.drain();
  expect(await health.check()).toMatchObject({ ready: false, draining: true, checks: { x: { ok: true } } });
});
