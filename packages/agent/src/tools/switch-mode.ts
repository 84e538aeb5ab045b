import { agent } from '@tandem/proto';
import { z } from 'zod';
import { NOT_UNDERSTOOD, notAllowed, queryResult } from './answers.ts';
import { defineTool, errorText, type ShownTool, text } from './tool.ts';

const MODES = {
  agent: agent.AgentMode.AGENT,
  ask: agent.AgentMode.ASK,
  plan: agent.AgentMode.PLAN,
  debug: agent.AgentMode.DEBUG,
} as const;
type ModeId = keyof typeof MODES;

const schema = z.strictObject({
  mode: z
    .enum(['agent', 'ask', 'plan', 'debug'])
    .describe(
      'agent: change things; ask: only answer; plan: work out a plan first; debug: find the cause of a fault.',
    ),
  explanation: z.string().optional().describe('Why, for the user.'),
});
type Args = z.infer<typeof schema>;

export const switchModeTool = defineTool<Args>({
  name: 'switch_mode',
  kind: 'switchModeToolCall',
  access: 'read',
  description: 'Asks the user to let you work in another mode, when the task calls for it.',
  schema,
  show: (args, { callId }) => ({ case: 'switchModeToolCall', value: { args: wireArgs(args, callId) } }),
  refuse: (args, error, { callId }) => refuse(args, callId, error),
  next(args, [answer], { callId, mode }) {
    const wire = wireArgs(args, callId);
    if (!answer) {
      return { ask: { type: 'query', query: { case: 'switchModeRequestQuery', value: { args: wire } } } };
    }
    const result = queryResult(answer, 'switchModeRequestResponse')?.result;
    if (result?.case === 'approved') {
      const value = { fromModeId: nameOf(mode), toModeId: args.mode };
      const shown: ShownTool = {
        case: 'switchModeToolCall',
        value: { args: wire, result: { result: { case: 'success', value } } },
      };
      return {
        done: { shown, output: text(`You are in ${args.mode} mode.`), keeps: { mode: MODES[args.mode] } },
      };
    }
    if (result?.case === 'rejected') {
      const { reason } = result.value;
      const shown: ShownTool = {
        case: 'switchModeToolCall',
        value: { args: wire, result: { result: { case: 'rejected', value: { reason } } } },
      };
      return { done: { shown, output: errorText(notAllowed(reason)) } };
    }
    return { done: { shown: refuse(args, callId, NOT_UNDERSTOOD), output: errorText(NOT_UNDERSTOOD) } };
  },
});

function nameOf(mode: agent.AgentMode): string {
  const known = (Object.keys(MODES) as ModeId[]).find((id) => MODES[id] === mode);
  return known ?? agent.AgentMode[mode]?.toLowerCase() ?? '';
}

function wireArgs({ mode, explanation }: Args, toolCallId: string) {
  return { targetModeId: mode, explanation, toolCallId };
}

function refuse(args: Args, callId: string, error: string): ShownTool {
  return {
    case: 'switchModeToolCall',
    value: { args: wireArgs(args, callId), result: { result: { case: 'error', value: { error } } } },
  };
}
