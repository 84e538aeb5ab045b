import { create } from '@bufbuild/protobuf';
import { TandemError } from '@tandem/errors';
import { tandem } from '@tandem/proto';
import type { TurnFacts } from './logic.ts';

/**
 * What a turn is, from the append that opened it.
 * @throws TandemError internal when that append is gone from the command log
 */
export function factsOf(generation: number, opening: tandem.Append | undefined): TurnFacts {
  if (!opening) throw new TandemError('internal', { message: 'the opening command is gone from its log' });
  const info = opening.info ?? create(tandem.RequestInfoSchema);
  return { ownerId: info.ownerId, generation, requestId: opening.requestId, info };
}
