import type { TurnKey } from '@tandem/actor-core';

/** Prefix of BullMQ's keys. */
export const JOBS_PREFIX = 'tandem';
export const TURNS_QUEUE = 'turns';
export const PURGES_QUEUE = 'purges';

/** By this a turn has one job waiting or active, and one kept wake-up. Never a number, and without a colon. */
export function deduplicationId({ owner, turn }: TurnKey): string {
  return `r_${owner}_${turn}`;
}
