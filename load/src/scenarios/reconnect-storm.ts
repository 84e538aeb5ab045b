import type { RetryPolicy } from '@tandem/client';
import type { CuttableTransport } from './cuttable-transport.ts';
import { holdTurn } from './hold-turn.ts';
import type { World } from './world.ts';

/** Clients whose streams all break at once. */
export interface ReconnectStorm {
  readonly streams: number;
  /** Words of each turn, a second apart or less, so that it is clear when one is back. */
  readonly words: number;
  readonly paceMs: number;
}

/** All are back within a second, not spread over a minute as clients should. */
const AT_ONCE: RetryPolicy = {
  limits: { server: 10, transport: 10 },
  fruitlessResumes: 10,
  delayMs: (retry, random) => 1000 * random + 500 * retry,
};

/**
 * All streams break at the same moment, in the middle of their turns, and come back within a second. Counts `cut`; times `back`, from
 * the cut until the client is shown text again.
 */
export async function reconnectStorm(
  world: World,
  line: CuttableTransport,
  { streams, words, paceMs }: ReconnectStorm,
): Promise<void> {
  const speaking = Promise.withResolvers<void>();
  let begun = 0;
  let cutAt = Infinity;
  const turns = Array.from({ length: streams }, async () => {
    let back = false;
    let first = false;
    const onFirstWord = () => {
      first = true;
      begun += 1;
      if (begun === streams) speaking.resolve();
    };
    const onText = () => {
      if (back || world.now() < cutAt) return;
      back = true;
      world.meter.time('back', world.now() - cutAt);
    };
    const options = { retries: AT_ONCE, onFirstWord, onText, timed: false };
    await holdTurn(world, { words, paceMs, tools: 0 }, options);
    if (!first) onFirstWord();
  });
  await speaking.promise;
  cutAt = world.now();
  world.meter.count('cut', line.cut());
  await Promise.all(turns);
}
