import { drawPlan } from '../plan/draw-plan.ts';
import type { Plan } from '../plan/plan.ts';
import { World } from '../world/world.ts';
import { applyFaults } from './apply-faults.ts';
import { Cast } from './cast.ts';

/** All that is known of a run once it is over. */
export interface Run {
  readonly plan: Plan;
  readonly world: World;
  readonly cast: Cast;
}

/** The longest that clients may take to be done, and how long the services run on then. Milliseconds of virtual time. */
const LONGEST_MS = 15 * 60_000;
const AFTERMATH_MS = 110_000;
const STEP_MS = 1_000;

/** Runs a seed from its plan to well after the last client is done. */
export async function simulate(seed: number, options: { keepHistory?: boolean } = {}): Promise<Run> {
  const plan = drawPlan(seed);
  const world = new World(plan, { keepHistory: options.keepHistory ?? false });
  const cast = new Cast(world, plan);
  applyFaults(world, cast, plan);
  await world.time.advance(plan.calmFrom);
  while (!cast.idle && world.history.now < LONGEST_MS) await world.time.advance(STEP_MS);
  await world.time.advance(AFTERMATH_MS);
  return { plan, world, cast };
}
