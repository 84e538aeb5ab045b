import { agent } from '@tandem/proto';
import type { TurnState } from './state.ts';
import { userMessages } from './wanted-blobs.ts';

/** The mode that the conversation is in now: as a tool call switched it, else as its user's message says. */
export function modeOf({ request, kept }: TurnState): agent.AgentMode {
  if (kept.mode) return kept.mode;
  const asked = userMessages(request?.action).at(-1)?.mode;
  return asked || request?.run.conversationState?.mode || agent.AgentMode.AGENT;
}
