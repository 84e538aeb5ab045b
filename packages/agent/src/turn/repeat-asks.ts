import type { Position } from '@tandem/actor-core';
import { tandem } from '@tandem/proto';
import type { Step } from './step.ts';
import { ask, askOf } from './tool-calls.ts';

/**
 * For an attempt that won't see what its client was asked: questions and reads are put again; what has an effect may
 * have had it, and the model is told that nobody knows.
 */
export function repeatAsks(step: Step, lost: (at: Position) => boolean): void {
  for (const run of step.state.batch) {
    if (!run.awaits || !lost(run.awaits.at)) continue;
    const request = askOf(step.state, run);
    if (request && (request.type === 'query' || request.repeatable)) {
      ask(step, run, request);
    } else {
      const failure = tandem.ToolFailure.LOST;
      step.record({ case: 'toolFailed', value: { callId: run.callId, failure } });
    }
  }
}
