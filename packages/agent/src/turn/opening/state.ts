import type { agent } from '@tandem/proto';

/** What the turn is about. */
export interface OpeningState {
  readonly request: OpenedRequest | undefined;
  /** The conversation is this turn's. */
  readonly activated: boolean;
}

export interface OpenedRequest {
  readonly run: agent.AgentRunRequest;
  /** Undefined after a prewarm, until the action comes. */
  readonly action: agent.ConversationAction | undefined;
}

export const OPENING: OpeningState = { request: undefined, activated: false };
