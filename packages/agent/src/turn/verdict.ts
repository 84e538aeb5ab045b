import { TandemError } from '@tandem/errors';
import { type agent, tandem } from '@tandem/proto';

/**
 * What follows from a decision, beside what it has added: `advance` looks for what else the state shows as possible, an
 * ending ends the turn. Undefined: nothing, or something is waited for.
 */
export type Verdict = 'advance' | EndTurn | undefined;

/** The turn is to end. */
export interface EndTurn {
  readonly end: tandem.TurnEnd;
  readonly error?: TandemError | undefined;
  /** What the client knows of tool calls that are out. */
  readonly resolutions?: agent.InterruptedPendingToolCallResolutions | undefined;
}

export const COMPLETED: EndTurn = { end: tandem.TurnEnd.COMPLETED };

export function failed(error: TandemError): EndTurn {
  return { end: tandem.TurnEnd.FAILED, error };
}

/** For a message or an action that this server does not handle; the client is told what it was. */
export function unsupported(what: string): EndTurn {
  return failed(new TandemError('unsupported', { detail: `It was asked for: ${what}.` }));
}
