import { z } from 'zod';

const count = z.number().int().positive();

/** What bounds a user, or a group's members together. A day is one of UTC. */
export const limitsSchema = z.strictObject({
  concurrentTurns: count.optional().describe('turns that run at the same time'),
  tokensPerDay: count
    .optional()
    .describe("tokens of all kinds a UTC day, those read from a provider's cache included"),
  moneyPerDay: z.number().positive().optional().describe("a UTC day, in the unit of the catalogue's prices"),
});

export type Limits = z.output<typeof limitsSchema>;

/** For each limit the largest that any of them sets: to belong to one more group never takes anything away. */
export function mostGenerous(all: readonly Limits[]): Limits {
  const most: { -readonly [Name in keyof Limits]: Limits[Name] } = {};
  for (const limits of all) {
    for (const [name, value] of Object.entries(limits) as [keyof Limits, number | undefined][]) {
      if (value !== undefined) most[name] = Math.max(value, most[name] ?? 0);
    }
  }
  return most;
}
