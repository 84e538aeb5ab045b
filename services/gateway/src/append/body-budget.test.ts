import { VirtualClock } from '@tandem/actor-core/testing';
import { expect, it } from 'vitest';
import { BodyBudget } from './body-budget.ts';

function budgetOf(totalBytes: number, ownerBytes: number) {
  const clock = new VirtualClock();
  return { clock, budget: new BodyBudget({ totalBytes, ownerBytes, waitMs: 1000 }, clock) };
}

it('room is taken at once while there is some, by all and by one owner', () => {
  const { budget } = budgetOf(100, 60);
  const alices = budget.ticket('alice');
  expect(alices.take(60)).toBeUndefined();
  expect(alices.take(1)).toBeInstanceOf(Promise);
  const bobs = budget.ticket('bob');
  expect(bobs.take(40)).toBeUndefined();
  expect(budget.ticket('carol').take(1)).toBeInstanceOf(Promise);
  expect(budget.total).toBe(100);
});

it('who waits is let in when others are done', async () => {
  const { budget } = budgetOf(100, 100);
  const first = budget.ticket('alice');
  expect(first.take(100)).toBeUndefined();
  const second = budget.ticket('bob');
  const waiting = second.take(50);
  first.release();
  expect(await waiting).toBe(true);
  expect(budget.total).toBe(50);
  second.release();
  second.release();
  expect(budget.total).toBe(0);
});

it('who waits too long is told so, and counts for nothing', async () => {
  const { budget, clock } = budgetOf(100, 100);
  budget.ticket('alice').take(100);
  const waiting = budget.ticket('bob').take(1);
  await clock.advance(1000);
  expect(await waiting).toBe(false);
  expect(budget.total).toBe(100);
});

it('a body that gave up while it waited holds nothing', async () => {
  const { budget } = budgetOf(100, 100);
  const first = budget.ticket('alice');
  first.take(100);
  const second = budget.ticket('bob');
  const waiting = second.take(10);
  second.release();
  first.release();
  await waiting;
  expect(budget.total).toBe(0);
});
