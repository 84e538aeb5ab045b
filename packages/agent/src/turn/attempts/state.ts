import type { Position } from '@tandem/actor-core';

/** What a further attempt at the turn has to know. */
export interface AttemptsState {
  /** The living attempt. */
  readonly requestId: string;
  /** What the client was asked to do and is not known to have got. */
  readonly sentRequests: readonly SentRequest[];
  readonly delivery: Delivery;
}

/** Something that the client was asked to do, in a frame that a further attempt might get once more. */
export interface SentRequest {
  readonly at: Position;
  /** The tool call it is for; empty for what the turn asks for itself. */
  readonly callId: string;
  /** Doing it twice is not the same as doing it once. */
  readonly effect: boolean;
}

/** What is known of what the client has. */
interface Delivery {
  /** The last place up to which the client has everything. */
  readonly known: Position | undefined;
  /** The last item before the end. */
  readonly last: Position | undefined;
  readonly checkpoints: readonly { readonly digest: string; readonly at: Position }[];
}

/** @param requestId of the first attempt */
export function attemptsState(requestId: string): AttemptsState {
  return { requestId, sentRequests: [], delivery: { known: undefined, last: undefined, checkpoints: [] } };
}
