import { expect, test } from 'vitest';
import { ModelSlots } from './model-slots.ts';

const never = new AbortController().signal;

test('slots are given first come first served, and given back once', async () => {
  const slots = new ModelSlots(1);
  const first = await slots.take(never);
  const order: string[] = [];
  const second = slots.take(never).then((release) => {
    order.push('second');
    return release;
  });
  const third = slots.take(never).then(() => order.push('third'));
  expect([slots.taken, slots.waiting]).toEqual([1, 2]);
  first?.();
  first?.();
  (await second)?.();
  await third;
  expect(order).toEqual(['second', 'third']);
  expect([slots.taken, slots.waiting]).toEqual([1, 0]);
});

test('whoever gives up waiting leaves the queue', async () => {
  const slots = new ModelSlots(1);
  const first = await slots.take(never);
  const stop = new AbortController();
  const second = slots.take(stop.signal);
  stop.abort();
  expect(await second).toBeUndefined();
  expect(await slots.take(stop.signal)).toBeUndefined();
  first?.();
  expect([slots.taken, slots.waiting]).toEqual([0, 0]);
});
