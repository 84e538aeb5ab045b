import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { tandem } from '@tandem/proto';
import { expect, test } from 'vitest';
import { endItems } from '../journal/entry.ts';
import { MemoryLog } from '../memory/index.ts';
import { commandSubject, journalSubject, turnKey } from '../subject/turn-key.ts';
import { seededEntropy } from '../testing/seeded-entropy.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { activateConversation } from './activate-conversation.ts';

const NOTHING_CONSUMED = { consumedSequence: 0, scanSequence: 0 };

function world() {
  const clock = new VirtualClock();
  const log = new MemoryLog({ clock });
  const deps = { log, clock, entropy: seededEntropy(1) };
  let entries = 0;

  async function write(turn: string, items: tandem.Item[]) {
    const entry = create(tandem.EntrySchema, { generation: 1n, epoch: 1n, number: BigInt(++entries), items });
    const part = { set: `1.${entries}`, index: 0, count: 1 };
    await log.append(journalSubject(turnKey('alice', turn)), part, toBinary(tandem.EntrySchema, entry));
  }

  async function activate(turn: string, openedAt: number, patient = false) {
    const candidate = { key: turnKey('alice', turn), generation: 1, openedAt, patient };
    const result = activateConversation(deps, candidate, 'c', new AbortController().signal);
    await clock.advance(100);
    return result;
  }

  async function cancels(turn: string) {
    const records = await log.read(commandSubject(turnKey('alice', turn)), 0, 10);
    return records.map(({ payload }) => fromBinary(tandem.CommandSchema, payload).kind.case);
  }

  const opened = create(tandem.ItemSchema, { kind: { case: 'opened', value: { requestId: 'r' } } });
  const start = (turn: string) => write(turn, [opened]);
  const end = (turn: string) => write(turn, endItems('completed', undefined, NOTHING_CONSUMED));
  return { start, end, activate, cancels };
}

test('the newer turn takes the place of the older one, and cancels exactly that', async () => {
  const w = world();
  await w.start('a');
  await w.start('b');
  expect(await w.activate('a', 1)).toBe('activated');
  expect(await w.activate('b', 2)).toBe('activated');
  expect(await w.cancels('a')).toEqual(['cancel']);
  expect(await w.cancels('b')).toEqual([]);
});

test('a takeover repeats an activation and its cancel, but never takes the place of a turn opened later', async () => {
  const w = world();
  await w.start('a');
  await w.start('b');
  await w.activate('a', 1);
  await w.activate('b', 2);
  expect(await w.activate('b', 2)).toBe('activated');
  expect(await w.cancels('a')).toEqual(['cancel', 'cancel']);
  expect(await w.activate('a', 1)).toBe('superseded');
  expect(await w.cancels('b')).toEqual([]);
});

test('a turn that has ended is not canceled', async () => {
  const w = world();
  await w.start('a');
  await w.activate('a', 1);
  await w.end('a');
  expect(await w.activate('b', 2)).toBe('activated');
  expect(await w.cancels('a')).toEqual([]);
});

test('what wakes up by itself waits for the active turn, even one opened later, and cancels nothing', async () => {
  const w = world();
  await w.start('user');
  await w.activate('user', 5);
  expect(await w.activate('background', 1, true)).toBe('busy');
  await w.end('user');
  expect(await w.activate('background', 1, true)).toBe('activated');
  expect(await w.cancels('user')).toEqual([]);
  expect(await w.activate('user', 4)).toBe('superseded');
});
