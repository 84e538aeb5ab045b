import { create } from '@bufbuild/protobuf';
import { agent, tandem } from '@tandem/proto';
import { expect, test } from 'vitest';
import type { NewItem } from '../actor/logic.ts';
import { encodeItem, historyOf } from './entry.ts';

const message = create(agent.AgentServerMessageSchema, {
  message: {
    case: 'interactionUpdate',
    value: { message: { case: 'textDelta', value: { text: 'x' } } },
  },
});
const record = create(tandem.TurnRecordSchema, { kind: { case: 'conversationClaimed', value: {} } });

test.each<Exclude<NewItem<never>, { kind: 'local' | 'end' }>>([
  { kind: 'frame', message },
  { kind: 'record', record },
  { kind: 'attempt', requestId: 'r2', start: undefined, withheld: [] },
  {
    kind: 'attempt',
    requestId: 'r2',
    start: { entry: 3, item: 2 },
    withheld: [
      { entry: 4, item: 0 },
      { entry: 2 ** 40, item: 7 },
    ],
  },
])('a stored $kind is the same when it is read again', (item) => {
  const [stored, ...more] = encodeItem(item, () => ({ consumedSequence: 0, scanSequence: 0 }));
  expect(more).toEqual([]);
  expect(stored && historyOf(stored)).toEqual(item);
});

test('an end is the EndStream, which no history has, and the record of it', () => {
  const items = encodeItem({ kind: 'end', outcome: 'canceled' }, () => ({
    consumedSequence: 5,
    scanSequence: 4,
  }));
  expect(items.map(historyOf)).toEqual([undefined, { kind: 'end', outcome: 'canceled' }]);
});
