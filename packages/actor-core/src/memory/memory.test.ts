import { describe, expect, it, test } from 'vitest';
import { LogFull } from '../ports/log-errors.ts';
import { turnKey } from '../subject/turn-key.ts';
import { seededEntropy } from '../testing/seeded-entropy.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { MemoryDispatch } from './memory-dispatch.ts';
import { MemoryLog } from './memory-log.ts';

const one = { set: 'a', index: 0, count: 1 };

describe('the log', () => {
  it('is full at its bound, until records are purged or too old', async () => {
    const clock = new VirtualClock();
    const log = new MemoryLog({ clock, maxBytes: 2500, maxAgeMs: 60_000 });
    const { sequence } = await log.append('a', one, Buffer.alloc(800));
    await log.append('b', one, Buffer.alloc(800));
    expect(log.fullness('a')).toBeCloseTo(0.8);
    await expect(log.append('a', one, Buffer.alloc(800))).rejects.toThrow(LogFull);
    await log.purge('a', sequence);
    await log.append('a', one, Buffer.alloc(800));
    await clock.advance(60_001);
    await log.append('c', one, Buffer.alloc(1600));
    expect(log.subjects()).toEqual(['c']);
  });

  it('does not keep the caller’s buffer', async () => {
    const log = new MemoryLog({ clock: new VirtualClock() });
    const buffer = Buffer.from('before');
    await log.append('a', one, buffer);
    buffer.write('after!');
    expect(Buffer.from((await log.last('a'))?.payload ?? []).toString()).toBe('before');
  });
});

test('a crashed worker’s job is handed on once its lock has expired, and what the worker still says is ignored', async () => {
  const clock = new VirtualClock();
  const dispatch = new MemoryDispatch({ clock, lockMs: 5000 });
  const key = turnKey('owner', 'turn');
  const [first, second] = [dispatch.queue(), dispatch.queue()];
  const finish: (() => void)[] = [];
  const handler = () => new Promise<'done'>((resolve) => finish.push(() => resolve('done')));
  await first.start(handler);
  await dispatch.dispatch(key);
  await clock.advance(1);
  await second.start(handler);
  first.crash();
  await clock.advance(4000);
  expect(finish).toHaveLength(1);
  expect(await dispatch.place(key)).toBe('active');
  await clock.advance(1001);
  expect(finish).toHaveLength(2);
  finish[0]?.();
  await clock.settle();
  expect(await dispatch.place(key)).toBe('active');
  finish[1]?.();
  await clock.settle();
  expect(await dispatch.place(key)).toBe('absent');
});

describe('the virtual clock', () => {
  it('runs timers in the order in which they are due, then in which they were set', async () => {
    const clock = new VirtualClock(0);
    const ran: string[] = [];
    const at = (ms: number, name: string) => clock.after(ms, () => ran.push(`${name}@${clock.now()}`));
    at(20, 'c');
    at(10, 'a');
    at(10, 'b');
    at(15, 'gone').cancel();
    clock.after(5, () => at(5, 'late'));
    await clock.advance(10);
    expect(ran).toEqual(['a@10', 'b@10', 'late@10']);
    await clock.advance(10);
    expect(ran.at(-1)).toBe('c@20');
    expect(clock.untilNext()).toBeUndefined();
  });

  it('lets promises settle between timers', async () => {
    const clock = new VirtualClock(0);
    const ran: string[] = [];
    clock.after(1, () => void Promise.resolve().then(() => ran.push('promise')));
    clock.after(1, () => ran.push('timer'));
    await clock.advance(1);
    expect(ran).toEqual(['promise', 'timer']);
  });

  it('orders many timers', async () => {
    const clock = new VirtualClock(0);
    const { random } = seededEntropy(1);
    const ran: number[] = [];
    const delays = Array.from({ length: 500 }, () => Math.floor(random() * 100));
    for (const delay of delays) clock.after(delay, () => ran.push(delay));
    await clock.advance(100);
    expect(ran).toEqual(delays.toSorted((a, b) => a - b));
  });
});

test('seeded entropy repeats itself, and differs between seeds', () => {
  const draw = (seed: number) => {
    const entropy = seededEntropy(seed);
    return [entropy.random(), entropy.random(), entropy.id(), entropy.id()];
  };
  expect(draw(1)).toEqual(draw(1));
  expect(new Set([...draw(1), ...draw(2)]).size).toBe(8);
  const { random } = seededEntropy(3);
  const mean = Array.from({ length: 10_000 }, random).reduce((sum, value) => sum + value, 0) / 10_000;
  expect(mean).toBeCloseTo(0.5, 1);
});
