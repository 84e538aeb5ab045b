import { agent } from '@tandem/proto';

const { AgentMode } = agent;

/** What a model is told when a conversation that was in another mode is back in the ordinary one. */
export const AGENT_AGAIN =
  'The mode has changed: you may use all of your tools again, also those that change things.';

/** A mode that the user has made himself. */
export interface CustomMode {
  readonly label: string;
  readonly path: string;
  readonly instructions: string;
}

/** What a model is told of its mode; empty for the ordinary one. */
export function modeReminder(
  mode: agent.AgentMode,
  custom: CustomMode | undefined,
  debug: agent.DebugModeConfig | undefined,
): string {
  switch (mode) {
    case AgentMode.ASK:
      return 'You are in ask mode. The user wants to understand, not to have something changed: read, search and explain. Change nothing; tools that would are not available. If the user asks for a change, say what you would do and that it needs agent mode.';
    case AgentMode.PLAN:
      return 'You are in plan mode. Find out what the task needs by reading and searching, ask the user where a decision is theirs, and change nothing. Then present the plan by calling create_plan: what is to be done, in which files, in which order, and how it is checked. That call is the end of your work; after it say no more than a sentence.';
    case AgentMode.DEBUG:
      return [DEBUG, debug ? debugLog(debug) : ''].filter(Boolean).join('\n');
    case AgentMode.CUSTOM:
      return custom ? customReminder(custom) : '';
    default:
      return '';
  }
}

const DEBUG =
  'You are in debug mode. Find the cause before you change anything. Say which explanations are possible, and find out by observation which one is true: add log statements that tell them apart, have the problem reproduced, read what was logged. Fix the cause that you have seen, have the problem tried again, and take your log statements out when it is gone.';

function debugLog({ logPath, serverEndpoint, sessionId }: agent.DebugModeConfig): string {
  const lines: string[] = [];
  if (logPath) lines.push(`What is logged is collected in ${logPath}.`);
  if (serverEndpoint) {
    lines.push(
      `Programs that can't write files may POST a line of JSON to ${serverEndpoint}${sessionId ? ` (session ${sessionId})` : ''}.`,
    );
  }
  return lines.join(' ');
}

function customReminder({ label, path, instructions }: CustomMode): string {
  const name = `You are in the mode "${label}", which the user has made.`;
  if (instructions.trim()) return `${name} Follow its instructions:\n${instructions.trim()}`;
  return path ? `${name} Read its instructions in ${path} and follow them.` : name;
}
