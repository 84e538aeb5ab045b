import { agent } from '@tandem/proto';
import { AGENT_AGAIN, type CustomMode, modeReminder } from '../../prompt/mode-reminder.ts';
import { actionMessages } from '../actions.ts';
import type { TurnState } from '../state.ts';
import { requestContext } from './request-context.ts';

/** The mode that the conversation is in now: as a tool call switched it, else as its user's message says. */
export function modeOf({ request, changes }: TurnState): agent.AgentMode {
  if (changes.mode) return changes.mode;
  const message = actionMessages(request?.action).at(-1);
  const left = message?.customModeIntent?.intent;
  const asked = left?.case === 'exit' ? left.value.nextMode : message?.mode;
  return asked || request?.run.conversationState?.mode || agent.AgentMode.AGENT;
}

/** Whether nothing may be changed in this mode. */
export function isReadOnlyMode(mode: agent.AgentMode): boolean {
  return mode === agent.AgentMode.ASK || mode === agent.AgentMode.PLAN;
}

/**
 * What the model is told of the mode; undefined: nothing else than before.
 * @param told whether it was told of a mode before
 */
export function modeBody(state: TurnState, told: boolean): string | undefined {
  const mode = modeOf(state);
  const custom = customMode(state);
  // What a mode of the user's is about comes with the message that enters it, and only with that.
  if (mode === agent.AgentMode.CUSTOM && !custom) return undefined;
  const reminder = modeReminder(mode, custom, requestContext(state)?.debugModeConfig);
  return reminder || (told ? AGENT_AGAIN : '');
}

/** The id of the custom mode that the conversation is in after this turn's message; undefined: in none. */
export function customModeId({ request }: TurnState): string | undefined {
  const intent = actionMessages(request?.action).at(-1)?.customModeIntent?.intent;
  if (intent?.case === 'enter') return intent.value.id;
  return intent?.case === 'exit' ? undefined : request?.run.conversationState?.durableCustomModeId;
}

function customMode(state: TurnState): CustomMode | undefined {
  const intent = actionMessages(state.request?.action).at(-1)?.customModeIntent?.intent;
  if (intent?.case !== 'enter') return undefined;
  const { label, id, sourcePath = '' } = intent.value;
  const skill = requestContext(state)?.agentSkills.find(({ fullPath }) => fullPath === sourcePath);
  return { label: label || id, path: sourcePath, instructions: skill?.content ?? '' };
}
