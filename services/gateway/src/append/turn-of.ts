import { type TurnKey, turnKey } from '@tandem/actor-core';
import { header, type Request } from '../server/exchange.ts';
import { checkRequestId } from './request-id.ts';

/**
 * The turn that a request belongs to: named by the request id of its first attempt, which retries keep in a header.
 * @throws TandemError bad_request
 */
export function turnOf(
  request: Request,
  ownerId: string,
  requestId: string,
): { key: TurnKey; originalRequestId: string } {
  const original = header(request, 'x-original-request-id');
  const originalRequestId = original ? checkRequestId(original, 'x-original-request-id') : requestId;
  return { key: turnKey(ownerId, originalRequestId), originalRequestId };
}
