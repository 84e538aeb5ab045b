import type { Subscription } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { slimSubscription } from './slim-subscription.ts';

test('takes away what only an iterator needs, and what takes its place can be settled', () => {
  const deferred = () => Object.assign(new Promise(() => {}), { resolve: () => {}, reject: () => {} });
  const closed = deferred();
  const parts = { signal: deferred(), iterClosed: deferred(), closed };
  const before = { ...parts };
  slimSubscription(parts as unknown as Subscription);
  expect(parts.closed).toBe(closed);
  expect(parts.signal).not.toBe(before.signal);
  expect(parts.iterClosed).toBe(parts.signal);
  parts.signal.resolve();
});

test('leaves alone what it does not know', () => {
  const other = { signal: 7 };
  slimSubscription(other as unknown as Subscription);
  expect(other).toEqual({ signal: 7 });
});
