import { create } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';
import { expect, test } from 'vitest';
import { MemoryLog } from '../memory/index.ts';
import { LogUnavailable } from '../ports/log-errors.ts';
import { commandSubject, turnKey } from '../subject/turn-key.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { checkStillStored } from './session-plan.ts';

const limits = { retentionMs: 90_000 };

test('an old opening command has to be there still', async () => {
  const clock = new VirtualClock();
  const log = new MemoryLog({ clock });
  const key = turnKey('alice', 'r1');
  const part = { set: 'a', index: 0, count: 1 };
  const { sequence } = await log.append(commandSubject(key), part, new Uint8Array(1));
  const opening = { sequence, time: clock.now(), set: 'a', command: create(tandem.CommandSchema, {}) };
  const check = () => checkStillStored({ log, clock, limits }, key, opening);
  await clock.advance(61_000);
  await check();
  await log.purge(commandSubject(key), sequence);
  await expect(check()).rejects.toThrow(LogUnavailable);
});

test('a fresh one is not asked for', async () => {
  const clock = new VirtualClock();
  const log = new MemoryLog({ clock });
  const opening = { sequence: 7, time: clock.now(), set: 'a', command: create(tandem.CommandSchema, {}) };
  await checkStillStored({ log, clock, limits }, turnKey('alice', 'r1'), opening);
});
