import { create } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';
import { expect, test } from 'vitest';
import { pulseSubject } from '../subject/turn-key.ts';
import { turnHarness } from '../testing/turn-harness.ts';

const SECOND = 1000;

test('a generation opens with its seqno 0, applies appends in order and once, and ends', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 2, 22);
  await t.append('r1', 0, 20);
  await t.append('r1', 2, 22);
  await t.append('r1', 1, 21);
  await t.append('r1', 0, 20);
  await t.append('r1', 3, 999);
  await t.clock.advance(SECOND);
  expect(await t.story()).toEqual([
    'opened r1',
    'owner w1 0',
    'r1#0:20',
    'r1#1:21',
    'r1#2:22',
    'bye',
    'EndStream',
    'ended COMPLETED',
  ]);
  expect(t.failures).toEqual([]);
});

test('what a client says while its first message is still on the way is kept', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 1, 21);
  await t.clock.advance(60 * SECOND);
  await t.append('r1', 0, 20);
  await t.append('r1', 2, 999);
  await t.clock.advance(SECOND);
  expect(await t.shown()).toEqual(['r1#0:20', 'r1#1:21', 'bye', 'EndStream']);
});

test('what was logged first under a number counts, even before the first message', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 2, 22);
  await t.append('r1', 0, 20);
  await t.append('r1', 2, 999);
  await t.append('r1', 1, 21);
  await t.clock.advance(SECOND);
  expect(await t.shown()).toEqual(['r1#0:20', 'r1#1:21', 'r1#2:22']);
});

test('effects start after their items are stored, and their results become history', async () => {
  const t = turnHarness();
  const { runner } = await t.worker('w1');
  await t.append('r1', 0, 100);
  await t.clock.advance(SECOND);
  expect(runner.started).toEqual([100]);
  runner.release(100);
  await t.clock.advance(SECOND);
  expect(await t.shown()).toEqual(['r1#0:100', 'done 100']);
});

test('a killed worker is replaced within ten seconds: what was decided stands, what was not applied is applied', async () => {
  const t = turnHarness();
  const first = await t.worker('w1');
  await t.append('r1', 0, 20);
  await t.append('r1', 1, 100);
  await t.clock.advance(SECOND);
  first.kill();
  const second = await t.worker('w2');
  await t.append('r1', 2, 22);
  await t.clock.advance(10 * SECOND);
  await t.append('r1', 3, 999);
  await t.clock.advance(SECOND);
  expect(first.runner.started).toEqual([100]);
  expect(second.runner.started).toEqual([]);
  expect(await t.story()).toEqual([
    'opened r1',
    'owner w1 0',
    'r1#0:20',
    'r1#1:100',
    'owner w2 1',
    'resumed',
    'r1#2:22',
    'bye',
    'EndStream',
    'ended COMPLETED',
  ]);
});

test('a turn that kills its workers is given up after five takeovers', async () => {
  const t = turnHarness();
  await t.append('r1', 0, 20);
  for (let i = 0; i < 8; i += 1) {
    const worker = await t.worker(`w${i}`);
    t.present('a');
    await t.clock.advance(10 * SECOND);
    worker.kill();
  }
  expect((await t.story()).slice(-2)).toEqual(['EndStream', 'ended FAILED takeover_limit']);
});

test('a drained worker hands the turn over within a second', async () => {
  const t = turnHarness();
  const first = await t.worker('w1');
  const second = await t.worker('w2');
  await t.append('r1', 0, 20);
  await t.clock.advance(SECOND);
  const [busy, idle] = first.host.turns > 0 ? [first, second] : [second, first];
  const draining = busy.host.drain(0);
  await t.clock.advance(SECOND);
  await draining;
  expect(idle.host.turns).toBe(1);
  await t.append('r1', 1, 999);
  await t.clock.advance(SECOND);
  expect(await t.shown()).toEqual(['r1#0:20', 'resumed', 'bye', 'EndStream']);
});

test('a reused request id opens the next generation, numbered from 0 again', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 0, 20);
  await t.append('r1', 1, 999);
  await t.clock.advance(SECOND);
  await t.append('r1', 0, 30);
  await t.append('r1', 1, 999);
  await t.clock.advance(SECOND);
  expect(await t.shown()).toEqual(['r1#0:20', 'bye', 'EndStream', 'r1#0:30', 'bye', 'EndStream']);
  const generations = new Set((await t.entries()).map((entry) => entry.generation));
  expect(generations.size).toBe(2);
});

test("a gateway's late repetition of the opening publish opens nothing", async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 0, 999, 'opening');
  await t.clock.advance(SECOND);
  await t.append('r1', 0, 999, 'opening');
  await t.clock.advance(SECOND);
  expect(await t.shown()).toEqual(['bye', 'EndStream']);
});

test('messages above the record limit arrive whole', async () => {
  const t = turnHarness({ maxRecordBytes: 16 });
  await t.worker('w1');
  await t.append('r1', 0, 20);
  await t.append('r1', 1, 999);
  await t.clock.advance(SECOND);
  expect(await t.shown()).toEqual(['r1#0:20', 'bye', 'EndStream']);
});

test('a turn whose reader was closed by its client is orphaned after 10 s, one that lost its gateway after 90 s', async () => {
  const closed = turnHarness();
  await closed.worker('w1');
  await closed.append('r1', 0, 20);
  closed.present('a');
  await closed.clock.advance(SECOND);
  await closed.command({
    case: 'readerClosed',
    value: create(tandem.ReaderClosedSchema, { requestId: 'r1', readerId: 'a' }),
  });
  await closed.clock.advance(9 * SECOND);
  expect(await closed.shown()).toEqual(['r1#0:20']);
  await closed.clock.advance(3 * SECOND);
  expect(await closed.shown()).toEqual(['r1#0:20', 'orphaned', 'EndStream']);

  const vanished = turnHarness();
  await vanished.worker('w1');
  await vanished.append('r1', 0, 20);
  vanished.present('a');
  await vanished.clock.advance(85 * SECOND);
  expect(await vanished.shown()).toEqual(['r1#0:20']);
  await vanished.clock.advance(20 * SECOND);
  expect(await vanished.shown()).toEqual(['r1#0:20', 'orphaned', 'EndStream']);
});

test('a gap fails the turn after ten minutes while somebody waits', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 0, 20);
  await t.append('r1', 2, 22);
  for (let i = 0; i < 130; i += 1) {
    t.present('a');
    await t.clock.advance(5 * SECOND);
  }
  expect((await t.story()).slice(-2)).toEqual(['EndStream', 'ended FAILED append_gap']);
});

test('a fault of the logic ends the turn with an internal error', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 0, 998);
  await t.clock.advance(SECOND);
  expect((await t.story()).slice(-2)).toEqual(['EndStream', 'ended FAILED internal']);
  expect(t.failures).toHaveLength(1);
});

test('pulses go out while the turn has readers, and stop when it has none', async () => {
  const t = turnHarness();
  await t.worker('w1');
  let pulses = 0;
  t.signals.subscribe(pulseSubject(t.key), () => {
    pulses += 1;
  });
  await t.append('r1', 0, 20);
  await t.clock.advance(SECOND);
  const atStart = pulses;
  t.present('a');
  await t.clock.advance(10 * SECOND);
  expect(pulses - atStart).toBeGreaterThanOrEqual(5);
  t.present('a', 'r1', true);
  await t.clock.advance(SECOND);
  const atLeave = pulses;
  await t.clock.advance(10 * SECOND);
  expect(pulses).toBe(atLeave);
});
