import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { MemoryLog } from '../memory/memory-log.ts';
import { type Message, splitMessage } from '../parts/assembler.ts';
import { FaultyLog } from '../testing/faulty-log.ts';
import { seededEntropy } from '../testing/seeded-entropy.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import type { FollowHandler } from './follower.ts';
import { follow } from './log-follower.ts';

const noFaults = { lag: 0, drop: 0, repeat: 0, interrupt: 0, fail: 0, maxDelayMs: 1 };

function setUp(options: { maxRecordBytes?: number } = {}) {
  const clock = new VirtualClock();
  const log = new MemoryLog({ clock, ...options });
  let number = 0;
  const add = (text = `m${number}`, subject = 's') =>
    log.append(subject, { set: `${number++}`, index: 0, count: 1 }, Buffer.from(text));
  const texts: string[] = [];
  const handler: FollowHandler = { message: (message) => void texts.push(text(message)) };
  return { clock, log, add, texts, handler };
}

function text(message: Message): string {
  return Buffer.from(message.payload).toString();
}

test('a follower tells what was stored and what is being stored', async () => {
  const { clock, log, add, texts, handler } = setUp();
  await add();
  await add('not this', 'other');
  await add();
  const follower = follow({ log, clock }, 's', 0, handler);
  await follower.caughtUp;
  expect(texts).toEqual(['m0', 'm2']);
  await add();
  await clock.settle();
  await clock.advance(0);
  expect(texts).toEqual(['m0', 'm2', 'm3']);
  expect(follower.position).toBe(4);
  follower.close();
  await add();
  await clock.advance(1000);
  expect(texts).toHaveLength(3);
  expect(clock.untilNext()).toBeUndefined();
});

test('a backlog that is likely is read beside the other questions: one round trip', async () => {
  const { clock, log, add, texts, handler } = setUp();
  await add();
  await add();
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  for (const name of ['subscribe', 'last', 'read'] as const) {
    const original = log[name].bind(log) as (...args: unknown[]) => Promise<unknown>;
    const slow = async (...args: unknown[]) => {
      asked.push(name);
      await new Promise<void>((resolve) => answers.push(resolve));
      return original(...args);
    };
    Object.assign(log, { [name]: slow });
  }
  const follower = follow({ log, clock, backlogLikely: true }, 's', 0, handler);
  await clock.settle();
  expect(asked).toEqual(['subscribe', 'last', 'read']);
  for (const answer of answers) answer();
  await follower.caughtUp;
  expect(texts).toEqual(['m0', 'm1']);
  expect(asked).toHaveLength(3);
  follower.close();
});

test('a live record goes straight to the handler', async () => {
  const { clock, log, add, texts, handler } = setUp();
  const follower = follow({ log, clock }, 's', 0, handler);
  await follower.caughtUp;
  await clock.advance(200);
  const reads = countCalls(log, 'read', 'last');
  await add();
  await clock.advance(0);
  expect(texts).toEqual(['m0']);
  expect(reads()).toBe(0);
  follower.close();
});

test('the leader is asked again 100 ms after the subscription, and after an interruption', async () => {
  const { clock, log, add, texts, handler } = setUp();
  const blind = new FaultyLog(log, clock, 1, { ...noFaults, drop: 1 });
  blind.subscribe = async () => ({ close() {} });
  const follower = follow({ log: blind, clock }, 's', 0, handler);
  await follower.caughtUp;
  await add();
  await clock.advance(99);
  expect(texts).toEqual([]);
  await clock.advance(1);
  expect(texts).toEqual(['m0']);
  await add();
  await follower.verify();
  expect(texts).toEqual(['m0', 'm1']);
  const { sequence } = await add();
  follower.expect(sequence);
  await clock.settle();
  expect(texts).toEqual(['m0', 'm1', 'm2']);
  follower.close();
});

describe('a busy handler', () => {
  it('gets nothing more, and the follower holds a bounded number of bytes', async () => {
    const { clock, log, add } = setUp();
    const texts: string[] = [];
    let free = () => {};
    const shadow = new FaultyLog(log, clock, 1, noFaults);
    const follower = follow({ log: shadow, clock, maxBufferedBytes: 1000 }, 's', 0, {
      message(message) {
        texts.push(text(message));
        return texts.length === 1 ? new Promise<void>((resolve) => (free = resolve)) : undefined;
      },
    });
    await follower.caughtUp;
    await add();
    await clock.advance(0);
    expect(shadow.subscriptions).toBe(1);
    for (let count = 1; count < 50; count++) {
      await add();
      await clock.advance(1);
    }
    expect(texts).toEqual(['m0']);
    expect(shadow.subscriptions).toBe(0);
    free();
    await follower.verify();
    expect(texts).toEqual(Array.from({ length: 50 }, (_, number) => `m${number}`));
    expect(shadow.subscriptions).toBe(1);
    follower.close();
  });

  it('ends the follower when it throws', async () => {
    const { clock, log, add } = setUp();
    await add();
    await add();
    const failures: unknown[] = [];
    let calls = 0;
    const fault = new Error('handler');
    const follower = follow({ log, clock }, 's', 0, {
      async message() {
        calls += 1;
        throw fault;
      },
      failed: (error, ended) => failures.push([error, ended]),
    });
    await follower.caughtUp;
    await clock.advance(1000);
    expect(failures).toEqual([[fault, true]]);
    expect(calls).toBe(1);
  });
});

test('records that were purged before they were read are passed over', async () => {
  const { clock, log, add, texts, handler } = setUp();
  await add();
  await add();
  await log.purge('s', 2);
  const follower = follow({ log, clock }, 's', 0, handler);
  await follower.caughtUp;
  follower.expect(2);
  await clock.advance(3000);
  expect(follower.position).toBe(2);
  await add();
  await clock.advance(0);
  expect(texts).toEqual(['m2']);
  follower.close();
});

test('a follower that was closed in its handler tells nothing more', async () => {
  const { clock, log, add, texts } = setUp();
  await add();
  await add();
  const follower = follow({ log, clock }, 's', 0, {
    message(message) {
      texts.push(text(message));
      follower.close();
    },
  });
  await follower.caughtUp;
  await clock.advance(1000);
  expect(texts).toEqual(['m0']);
});

const faults = fc.record({
  lag: fc.constantFrom(0, 0.3, 0.9),
  drop: fc.constantFrom(0, 0.1, 0.5),
  repeat: fc.constantFrom(0, 0.2),
  interrupt: fc.constantFrom(0, 0.1),
  fail: fc.constantFrom(0, 0.1, 0.4),
  maxDelayMs: fc.constantFrom(1, 5, 300),
});

test('whatever the log does, a follower tells exactly what it holds, in order', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      faults,
      fc.record({
        slowChance: fc.constantFrom(0, 0.1, 1),
        buffer: fc.constantFrom(300, 1000, 65_536),
        backlogLikely: fc.boolean(),
        before: fc.nat(20),
        during: fc.nat(60),
      }),
      async (seed, faults, { slowChance, buffer, backlogLikely, before, during }) => {
        const clock = new VirtualClock();
        const log = new MemoryLog({ clock, maxRecordBytes: 10 });
        const { random } = seededEntropy(seed);
        const wanted: string[] = [];
        const append = async () => {
          const message = Buffer.from(`${wanted.length}`.padEnd(1 + Math.floor(random() * 30), '.'));
          const pieces = splitMessage(message, 10);
          for (const [index, piece] of pieces.entries()) {
            await log.append('s', { set: `${wanted.length}`, index, count: pieces.length }, piece);
          }
          wanted.push(message.toString());
        };
        for (let count = 0; count < before; count++) await append();

        const got: string[] = [];
        let busy = false;
        const unlucky = new FaultyLog(log, clock, seed, faults, (sequence) => follower.expect(sequence));
        const options = { log: unlucky, clock, maxBufferedBytes: buffer, backlogLikely };
        const follower = follow(options, 's', 0, {
          message(message) {
            expect(busy).toBe(false);
            got.push(text(message));
            if (random() >= slowChance) return;
            busy = true;
            return new Promise<void>((resolve) => {
              clock.after(Math.floor(random() * 20), () => {
                busy = false;
                resolve();
              });
            });
          },
        });
        for (let count = 0; count < during; count++) {
          await append();
          await clock.advance(Math.floor(random() * 20));
        }
        unlucky.calm = true;
        let done = false;
        void follower.verify().then(() => (done = true));
        await clock.advanceUntil(() => done, 60_000);
        expect(got).toEqual(wanted);
        follower.close();
        await clock.advance(5000);
        expect(unlucky.subscriptions).toBe(0);
        expect(clock.untilNext()).toBeUndefined();
      },
    ),
    { numRuns: 200 },
  );
});

function countCalls(log: MemoryLog, ...names: ('read' | 'last')[]): () => number {
  let calls = 0;
  for (const name of names) {
    const original = log[name].bind(log) as (...args: unknown[]) => unknown;
    Object.assign(log, {
      [name]: (...args: unknown[]) => {
        calls += 1;
        return original(...args);
      },
    });
  }
  return () => calls;
}
