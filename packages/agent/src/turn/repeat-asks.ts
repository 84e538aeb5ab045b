import type { Position } from '@tandem/actor-core';
import { tandem } from '@tandem/proto';
import { comparePositions } from './position.ts';
import type { Step } from './step.ts';
import { ask, askOf } from './tool-calls.ts';
import type { ToolRun } from './tool-run.ts';
import { failCommand, isCommandOver } from './user-command.ts';

/**
 * For an attempt that won't see what its client was asked: questions and reads are put again; what has an effect may
 * have had it, and the model is told that nobody knows.
 */
export function repeatAsks(step: Step, lost: (at: Position) => boolean, withheld: readonly Position[]): void {
  const { userCommand } = step.state;
  if (userCommand && !isCommandOver(step.state)) {
    const gone = lost(userCommand.at) || isAmong(withheld, userCommand.at);
    if (gone) failCommand(step, tandem.ToolFailure.LOST);
  }
  for (const run of step.state.batch) {
    const at = run.awaits?.at;
    if (!at) continue;
    if (isAmong(withheld, at)) giveUp(step, run);
    if (!lost(at)) continue;
    const request = askOf(step.state, run);
    const repeatable = request?.type === 'query' || (request?.type === 'exec' && request.repeatable);
    if (request && repeatable) ask(step, run, request);
    else giveUp(step, run);
  }
}

function isAmong(places: readonly Position[], at: Position): boolean {
  return places.some((other) => comparePositions(at, other) === 0);
}

function giveUp(step: Step, { callId }: ToolRun): void {
  step.record({ case: 'toolFailed', value: { callId, failure: tandem.ToolFailure.LOST } });
}
