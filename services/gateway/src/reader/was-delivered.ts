import { fromBinary } from '@bufbuild/protobuf';
import { type Clock, commandSubject, type Entropy, follow, type Log, type TurnKey } from '@tandem/actor-core';
import { tandem } from '@tandem/proto';
import type { Start } from './start-finder.ts';

/**
 * Whether a reader was sent the EndStream of a generation that has ended. Gateways note it in the command log, behind
 * what the generation had consumed at its end. For the request that opened the generation any reader counts, for a
 * later attempt its own.
 */
export async function wasDelivered(
  { log, clock, entropy }: { log: Log; clock: Clock; entropy: Entropy },
  key: TurnKey,
  requestId: string,
  start: Start,
  consumed: number,
): Promise<boolean> {
  let delivered = false;
  const follower = follow({ log, clock, entropy }, commandSubject(key), consumed, {
    message({ payload }) {
      const { kind } = fromBinary(tandem.CommandSchema, payload);
      if (kind.case !== 'responseEnded' || !kind.value.endStream) return;
      if (Number(kind.value.generation) !== start.generation) return;
      if (start.opener || kind.value.requestId === requestId) delivered = true;
    },
  });
  await follower.caughtUp;
  follower.close();
  return delivered;
}
