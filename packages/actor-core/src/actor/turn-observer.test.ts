import { tandem } from '@tandem/proto';
import { expect, test } from 'vitest';
import { turnHarness } from '../testing/turn-harness.ts';
import type { SessionObserver } from './session-observer.ts';

const SECOND = 1000;

/** Writes down what a worker tells. */
function witness(name: string) {
  const heard: string[] = [];
  const observer: SessionObserver = {
    started: (_key, taken) => {
      const former = 'formerTrace' in taken ? (taken.formerTrace ?? '') : '';
      heard.push(`taken up: ${taken.kind} ${former}`.trim());
    },
    traceparent: () => `trace of ${name}`,
    command: (_key, _message, waitedMs) => void heard.push(`command ${waitedMs ?? 'in turn'}`),
    item: (_key, { kind }) => {
      if (kind.case === 'ended') heard.push(`ended ${tandem.Outcome[kind.value.outcome]}`);
    },
    left: (_key, end) => void heard.push(`left: ${end}`),
  };
  return { heard, observer };
}

test('a turn is told of from its opening to its end, with how long appends waited for others', async () => {
  const t = turnHarness();
  const { heard, observer } = witness('w1');
  await t.worker('w1', observer);
  await t.append('r1', 0, 20);
  await t.append('r1', 2, 999);
  await t.clock.advance(3 * SECOND);
  await t.append('r1', 1, 21);
  await t.clock.advance(SECOND);
  expect(heard).toEqual([
    'taken up: open',
    'command in turn',
    'command in turn',
    expect.stringMatching(/^command (2[5-9]|3\d)\d\d$/),
    'ended COMPLETED',
    'left: done',
  ]);
});

test('who takes a turn over is told where the former owner left off', async () => {
  const t = turnHarness();
  const first = witness('w1');
  const { kill } = await t.worker('w1', first.observer);
  await t.append('r1', 0, 100);
  await t.clock.advance(SECOND);
  expect(first.heard).toEqual(['taken up: open', 'command in turn']);
  kill();
  const second = witness('w2');
  await t.worker('w2', second.observer);
  await t.clock.advance(10 * SECOND);
  await t.append('r1', 1, 999);
  await t.clock.advance(SECOND);
  expect(second.heard).toEqual([
    'taken up: resume trace of w1',
    'command in turn',
    'ended COMPLETED',
    'left: done',
  ]);
});
