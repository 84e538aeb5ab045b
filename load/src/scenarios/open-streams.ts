import { arrive } from './arrivals.ts';
import { holdTurn } from './hold-turn.ts';
import { pause, type World } from './world.ts';

/** Streams that are opened one after another, and then only stay open. */
export interface OpenStreams {
  readonly streams: number;
  readonly perSecond: number;
  /** How long all of them are open together. */
  readonly heldSeconds: number;
}

/** When to look at what is open. */
export interface OpenStreamsWatch {
  /** All are open: the held time begins. @param open of how many the client heard something */
  opened(open: number): Promise<void>;
  /** The held time is over, all are still open. */
  held(): Promise<void>;
}

/** Each stream has said something, then waits for its client to answer a tool: that is what most open streams of a day do. */
const SHAPE = { words: 4, paceMs: 0, tools: 1 };

/** Opens streams at a steady rate, keeps all of them open, lets all of them end. Counts those that were open as `open`. */
export async function openStreams(
  world: World,
  { streams, perSecond, heldSeconds }: OpenStreams,
  watch: OpenStreamsWatch,
): Promise<void> {
  const released = Promise.withResolvers<void>();
  const settled = Promise.withResolvers<void>();
  let open = 0;
  let over = 0;
  const note = () => {
    if (open + over >= streams) settled.resolve();
  };
  const all = arrive(world, { perSecond, count: streams }, async () => {
    let asked = false;
    const beforeTool = () => {
      asked = true;
      open += 1;
      note();
      return released.promise;
    };
    await holdTurn(world, SHAPE, { beforeTool });
    // One that ended before its tool was asked is not waited for.
    if (!asked) over += 1;
    note();
  });
  await settled.promise;
  world.meter.count('open', open);
  await watch.opened(open);
  await pause(world, heldSeconds * 1000);
  await watch.held();
  released.resolve();
  await all;
}
