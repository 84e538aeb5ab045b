import type { TandemError } from '@tandem/errors';
import type { tandem } from '@tandem/proto';

export interface EndingState {
  /** Set once the turn is to end. */
  readonly ending: Ending | undefined;
  readonly ended: boolean;
}

export interface Ending {
  readonly end: tandem.TurnEnd;
  readonly error: TandemError | undefined;
}

export const ENDING: EndingState = { ending: undefined, ended: false };
