import { expect, test } from 'vitest';
import { LogUnavailable } from '../ports/log-errors.ts';
import { commandSubject, journalSubject } from '../subject/turn-key.ts';
import { turnHarness } from '../testing/turn-harness.ts';

const SECOND = 1000;

test('a further attempt joins the living turn, and is answered when the turn has ended', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 0, 20);
  await t.append('r2', 0, 20);
  await t.append('r2', 1, 999);
  await t.clock.advance(SECOND);
  await t.append('r3', 0, 20);
  await t.clock.advance(SECOND);
  expect(await t.story()).toEqual([
    'opened r1',
    'owner w1 0',
    'r1#0:20',
    'attempt r2',
    'bye',
    'EndStream',
    'ended COMPLETED',
    'owner w1 0',
    'attempt r3',
    'ended COMPLETED',
  ]);
});

test('a late repetition of what opened an attempt is not answered again', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 0, 20);
  await t.append('r2', 0, 20);
  await t.append('r2', 1, 999);
  await t.clock.advance(SECOND);
  await t.append('r2', 0, 20);
  await t.append('r3', 0, 20);
  await t.append('r3', 0, 20);
  await t.clock.advance(SECOND);
  await t.append('r3', 0, 20);
  await t.clock.advance(SECOND);
  const attempts = (await t.story()).filter((line) => line.startsWith('attempt'));
  expect(attempts).toEqual(['attempt r2', 'attempt r3']);
});

test('an attempt that was read with the command that ends the turn is answered', async () => {
  const t = turnHarness();
  await t.append('r1', 0, 999);
  await t.append('r2', 0, 20);
  await t.worker('w1');
  await t.clock.advance(SECOND);
  expect((await t.story()).filter((line) => !line.startsWith('owner'))).toEqual([
    'opened r1',
    'bye',
    'EndStream',
    'ended COMPLETED',
    'attempt r2',
    'ended COMPLETED',
  ]);
});

test('an attempt at a turn that its client had left for too long opens a new generation', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 0, 20);
  await t.clock.advance(95 * SECOND);
  await t.append('r2', 0, 20);
  await t.clock.advance(SECOND);
  expect(await t.shown()).toEqual(['r1#0:20', 'orphaned', 'EndStream', 'r2#0:20']);
  expect((await t.story()).filter((line) => line.startsWith('opened'))).toEqual(['opened r1', 'opened r2']);
});

test('once a turn is purged, an attempt opens a new generation', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 0, 20);
  await t.append('r1', 1, 999);
  await t.clock.advance(16 * 60 * SECOND);
  expect(await t.story()).toEqual([]);
  await t.append('r2', 0, 20);
  await t.clock.advance(SECOND);
  expect(await t.story()).toEqual(['opened r2', 'owner w1 0', 'r2#0:20']);
});

test('what an answered attempt consumed is purged with the turn, and opens nothing afterwards', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 0, 20);
  await t.append('r1', 1, 999);
  await t.clock.advance(SECOND);
  await t.append('r2', 0, 20);
  await t.clock.advance(16 * 60 * SECOND);
  expect(await t.story()).toEqual([]);
  await t.append('r3', 0, 20);
  await t.clock.advance(SECOND);
  expect(await t.story()).toEqual(['opened r3', 'owner w1 0', 'r3#0:20']);
});

test('an attempt at a turn that is just being purged waits for that, and opens a new generation', async () => {
  const t = turnHarness();
  await t.worker('w1');
  await t.append('r1', 0, 20);
  await t.append('r1', 1, 999);
  await t.clock.advance(SECOND);
  const commands = (await t.log.last(commandSubject(t.key)))?.sequence ?? 0;
  await t.log.purge(commandSubject(t.key), commands);
  await t.append('r2', 0, 20);
  await t.clock.advance(SECOND);
  await t.log.purge(journalSubject(t.key), commands + 100);
  await t.clock.advance(SECOND);
  expect(await t.story()).toEqual(['opened r2', 'owner w1 0', 'r2#0:20']);
  expect(t.failures.every((failure) => failure instanceof LogUnavailable)).toBe(true);
});
