import type { TurnShape } from '../turn/shape.ts';
import { arrive } from './arrivals.ts';
import { holdTurn } from './hold-turn.ts';
import type { World } from './world.ts';

/** Turns that come at a steady rate. */
export interface SteadyTurns {
  readonly perSecond: number;
  readonly seconds: number;
  readonly shape: TurnShape;
}

/** Clients begin turns so often a second, each in a conversation of its own. Ends when all of them have. */
export async function steadyTurns(world: World, { perSecond, seconds, shape }: SteadyTurns): Promise<void> {
  await arrive(world, { perSecond, count: Math.round(perSecond * seconds) }, () => holdTurn(world, shape));
}

/** As many turns as there is room for. */
export interface BusyTurns {
  readonly clients: number;
  readonly seconds: number;
  readonly shape: TurnShape;
}

/** Clients hold one turn behind another. @returns how many turns a second they got, of those that ended within the time */
export async function busyTurns(world: World, { clients, seconds, shape }: BusyTurns): Promise<number> {
  const end = world.now() + seconds * 1000;
  let ended = 0;
  const keepBusy = async () => {
    while (world.now() < end) {
      await holdTurn(world, shape);
      if (world.now() < end) ended += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, keepBusy));
  return ended / seconds;
}
