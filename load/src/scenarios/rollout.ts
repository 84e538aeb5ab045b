import type { TurnShape } from '../turn/shape.ts';
import { arrive } from './arrivals.ts';
import { holdTurn } from './hold-turn.ts';
import type { World } from './world.ts';

/** Turns while every process is replaced. */
export interface Rollout {
  readonly perSecond: number;
  readonly shape: TurnShape;
}

/** Keeps turns coming until `roll` has replaced all processes, and lets them end. */
export async function rollout(
  world: World,
  { perSecond, shape }: Rollout,
  roll: () => Promise<void>,
): Promise<void> {
  let rolled = false;
  const rolling = roll().finally(() => {
    rolled = true;
  });
  await arrive(world, { perSecond, until: () => rolled }, () => holdTurn(world, shape));
  await rolling;
}
