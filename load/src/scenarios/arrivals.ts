import { pause, type World } from './world.ts';

/**
 * Starts something so often a second, whether or not what was started before is over: load that does not wait for the server.
 * Starts until `until` says so, or `count` were started. @returns when all that was started is over
 */
export async function arrive(
  world: Pick<World, 'clock'>,
  { perSecond, count = Infinity, until = () => false }: Arrivals,
  start: (index: number) => Promise<unknown>,
): Promise<void> {
  const began = world.clock.now();
  const started: Promise<unknown>[] = [];
  for (let index = 0; index < count && !until(); index += 1) {
    started.push(start(index));
    const due = began + ((index + 1) * 1000) / perSecond;
    await pause(world, Math.max(0, due - world.clock.now()));
  }
  await Promise.all(started);
}

/** How often, and how long. */
export interface Arrivals {
  readonly perSecond: number;
  readonly count?: number;
  readonly until?: () => boolean;
}
