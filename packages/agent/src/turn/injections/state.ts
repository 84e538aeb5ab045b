import type { agent } from '@tandem/proto';

/** What came during the turn. */
export interface InjectionsState {
  /** For the model to read before its next call, oldest first. */
  readonly queued: readonly QueuedInput[];
  /** What clients were told of their injections last. */
  readonly injectionStates: ReadonlyMap<string, agent.ContextInjectionState['state']['case']>;
}

/** Something that came while the turn runs, for the model to read before its next call. */
export interface QueuedInput {
  /** Of an injection: whose state its client waits to hear of. */
  readonly injectionId: string | undefined;
  readonly messages: readonly agent.UserMessage[];
  readonly system: agent.SystemContextInjection | undefined;
  readonly context: agent.RequestContext | undefined;
  /** Whether clients are to show the messages. */
  readonly shown: boolean;
}

export const INJECTIONS: InjectionsState = { queued: [], injectionStates: new Map() };
