import type { Client } from '@tandem/client';
import type { TurnShape } from '../turn/shape.ts';
import { holdTurn } from './hold-turn.ts';
import { type SteadyTurns, steadyTurns } from './steady-turns.ts';
import type { World } from './world.ts';

/** Clients that do not read what they asked for, beside others that do. */
export interface SlowReaders {
  readonly readers: number;
  /** More than sockets hold. */
  readonly shape: TurnShape;
  /** How long a slow client reads nothing. */
  readonly pauseMs: number;
  /** What goes on beside them, and must not suffer. */
  readonly beside: SteadyTurns;
}

/** Slow clients lose nothing and delay nobody. @param slowClient one on a slow transport */
export async function slowReaders(
  world: World,
  slowClient: Client,
  { readers, shape, beside }: SlowReaders,
): Promise<void> {
  const slow = Array.from({ length: readers }, () =>
    holdTurn(world, shape, { client: slowClient, timed: false }),
  );
  await Promise.all([...slow, steadyTurns(world, beside)]);
}
