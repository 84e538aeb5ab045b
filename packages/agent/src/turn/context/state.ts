import type { Position } from '@tandem/actor-core';
import type { agent } from '@tandem/proto';

/** What the client has told of its user's surroundings. */
export interface ContextState {
  readonly context: ClientContext;
}

type ClientContext =
  | { readonly status: 'unknown' }
  | { readonly status: 'asked'; readonly exec: number; readonly at: Position }
  | { readonly status: 'known'; readonly value: agent.RequestContext | undefined };

export const CONTEXT: ContextState = { context: { status: 'unknown' } };
