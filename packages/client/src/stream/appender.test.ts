import { expect, test } from 'vitest';
import { createLimit } from './appender.ts';

test('runs at most as many as allowed, in order, and goes on after a failure', async () => {
  const limit = createLimit(2);
  const started: number[] = [];
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const tasks = gates.map((gate, index) =>
    limit(() => {
      started.push(index);
      return gate.promise;
    }),
  );
  expect(started).toEqual([0, 1]);
  gates[1]?.reject(new Error('no'));
  await expect(tasks[1]).rejects.toThrow('no');
  await Promise.resolve();
  expect(started).toEqual([0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.all([tasks[0], tasks[2], tasks[3]]);
  expect(started).toEqual([0, 1, 2, 3]);
});
