import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '../log/logger.ts';
import { createShutdown } from './shutdown.ts';

class FakeProcess extends EventEmitter {
  readonly codes: number[] = [];
  exit(code: number): void {
    this.codes.push(code);
  }
}

function start(graceMs = 1000) {
  const lines: string[] = [];
  const log = createLogger({ service: 'test', destination: { write: (line) => void lines.push(line) } });
  const process = new FakeProcess();
  const uncaught: string[] = [];
  const shutdown = createShutdown({ log, graceMs, process, onUncaught: (kind) => uncaught.push(kind) });
  return { shutdown, process, lines, uncaught };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a signal runs the hooks, last added first, one at a time, then exits with 0', async () => {
  const { shutdown, process } = start();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  shutdown.add('database', () => void order.push('database'));
  shutdown.add('server', async () => {
    order.push('server begins');
    await first.promise;
    order.push('server done');
  });
  process.emit('SIGTERM');
  expect(shutdown.signal.aborted).toBe(true);
  expect(order).toEqual(['server begins']);
  first.resolve();
  await shutdown.begin('again');
  expect(order).toEqual(['server begins', 'server done', 'database']);
  expect(process.codes).toEqual([0]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a second signal ends the process at once, unless it is an echo of the first', async () => {
  const { shutdown, process } = start(10_000);
  shutdown.add('never', () => new Promise(() => {}));
  process.emit('SIGINT');
  vi.advanceTimersByTime(100);
  process.emit('SIGINT');
  expect(process.codes).toEqual([]); // the echo of a launcher such as npm
  vi.advanceTimersByTime(1000);
  process.emit('SIGINT');
  expect(process.codes).toEqual([130]);
});

test('a hook that fails does not keep others from running', async () => {
  const { shutdown, process, lines } = start();
  const later = vi.fn();
  shutdown.add('later', later);
  shutdown.add('throws', () => {
    throw new Error('broken');
  });
  shutdown.add('rejects', () => Promise.reject(new Error('broken too')));
  await shutdown.begin('test');
  expect(later).toHaveBeenCalledOnce();
  expect(process.codes).toEqual([1]);
  expect(lines.filter((line) => line.includes('shutdown hook failed'))).toHaveLength(2);
});

test('when time is up the hook is told, the rest is left and the code is 1', async () => {
  const { shutdown, process, lines } = start(500);
  let told = false;
  const skipped = vi.fn();
  shutdown.add('skipped', skipped);
  shutdown.add('slow', (signal) => {
    signal.addEventListener('abort', () => {
      told = true;
    });
    return new Promise(() => {});
  });
  const done = shutdown.begin('test');
  await vi.advanceTimersByTimeAsync(499);
  expect(process.codes).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  await done;
  expect({ told, codes: process.codes }).toEqual({ told: true, codes: [1] });
  expect(skipped).not.toHaveBeenCalled();
  expect(lines.join('')).toContain('"hook":"slow"');
});

test('a hook can be taken out', async () => {
  const { shutdown } = start();
  const hook = vi.fn();
  shutdown.add('x', hook)();
  await shutdown.begin('test');
  expect(hook).not.toHaveBeenCalled();
});

test('an unhandled rejection is logged and counted, the process goes on', () => {
  const { shutdown, process, lines, uncaught } = start();
  process.emit('unhandledRejection', new Error('lost'));
  expect(uncaught).toEqual(['unhandled_rejection']);
  expect(lines.join('')).toContain('lost');
  expect(shutdown.signal.aborted).toBe(false);
});

test('an uncaught exception ends the process in order, with code 1', async () => {
  const { shutdown, process, uncaught } = start();
  const hook = vi.fn();
  shutdown.add('x', hook);
  process.emit('uncaughtException', new Error('bad'));
  await shutdown.begin('wait');
  expect(hook).toHaveBeenCalledOnce();
  expect(uncaught).toEqual(['uncaught_exception']);
  expect(process.codes).toEqual([1]);
});

test('an uncaught exception while ending is still told by the code', async () => {
  const { shutdown, process } = start();
  shutdown.add('x', () => void process.emit('uncaughtException', new Error('bad')));
  await shutdown.begin('SIGTERM');
  expect(process.codes).toEqual([1]);
});

test('dispose leaves no listener behind', () => {
  const { shutdown, process } = start();
  shutdown.dispose();
  expect(process.eventNames()).toEqual([]);
});
