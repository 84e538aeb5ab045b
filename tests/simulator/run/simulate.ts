import { decodeEntry } from '@tandem/actor-core';
import { drawPlan } from '../plan/draw-plan.ts';
import type { Plan } from '../plan/plan.ts';
import type { StoredRecord } from '../world/nats.ts';
import { World } from '../world/world.ts';
import { applyFaults } from './apply-faults.ts';
import { Cast } from './cast.ts';

/** All that is known of a run once it is over. */
export interface Run {
  readonly plan: Plan;
  readonly world: World;
  readonly cast: Cast;
}

/**
 * The longest that clients may take to be done; how long the services run on then, at least, and at most if turns are left
 * that nobody waits for. Milliseconds of virtual time.
 */
const LONGEST_MS = 15 * 60_000;
const AFTERMATH_MS = 60_000;
const LAST_TURNS_MS = 20 * 60_000;
const STEP_MS = 1_000;

/** Runs a seed from its plan to well after the last client is done. */
export async function simulate(seed: number, options: { keepHistory?: boolean } = {}): Promise<Run> {
  const plan = drawPlan(seed);
  const world = new World(plan, { keepHistory: options.keepHistory ?? false });
  const cast = new Cast(world, plan);
  applyFaults(world, cast, plan);
  await world.time.advance(plan.calmFrom);
  while (!cast.idle && world.history.now < LONGEST_MS) await world.time.advance(STEP_MS);
  const idleAt = world.history.now;
  await world.time.advance(AFTERMATH_MS);
  while (turnsLeft(world) && world.history.now < idleAt + LAST_TURNS_MS)
    await world.time.advance(STEP_MS * 10);
  return { plan, world, cast };
}

/** Whether the last generation of any turn has not ended. */
function turnsLeft({ nats }: World): boolean {
  const lastOf = new Map<string, StoredRecord>();
  for (const record of nats.stored) if (record.subject.startsWith('evt.')) lastOf.set(record.subject, record);
  return [...lastOf.values()].some(
    ({ part, payload }) =>
      part.count > 1 || !decodeEntry(payload).items.some(({ kind }) => kind.case === 'ended'),
  );
}
