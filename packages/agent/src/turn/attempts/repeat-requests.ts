import type { Position } from '@tandem/actor-core';
import { tandem } from '@tandem/proto';
import { comparePositions } from '../delivery.ts';
import type { Step } from '../step.ts';
import { requestOf, sendRequest } from '../tool-calls/index.ts';
import { failUserShell, isUserShellOver } from '../user-shell/index.ts';

/**
 * For an attempt that won't see what its client was asked: questions and reads are put again; what has an effect may
 * have had it, and the model is told that nobody knows.
 */
export function repeatRequests(
  step: Step,
  lost: (at: Position) => boolean,
  withheld: readonly Position[],
): void {
  const { userShell } = step.state;
  if (userShell && !isUserShellOver(step.state)) {
    const gone = lost(userShell.at) || isAmong(withheld, userShell.at);
    if (gone) failUserShell(step, tandem.ToolFailure.LOST);
  }
  for (const call of step.state.toolCalls) {
    const at = call.pending?.at;
    if (!at) continue;
    if (isAmong(withheld, at)) giveUp(step, call);
    if (!lost(at)) continue;
    const request = requestOf(step.state, call);
    const repeatable = request?.type === 'query' || (request?.type === 'exec' && request.repeatable);
    if (request && repeatable) sendRequest(step, call, request);
    else giveUp(step, call);
  }
}

function isAmong(places: readonly Position[], at: Position): boolean {
  return places.some((other) => comparePositions(at, other) === 0);
}

function giveUp(step: Step, { callId }: { readonly callId: string }): void {
  step.record({ case: 'toolFailed', value: { callId, failure: tandem.ToolFailure.LOST } });
}
