import { agent } from '@tandem/proto';
import { z } from 'zod';
import { NOT_UNDERSTOOD, notAllowed, query } from './steps.ts';
import { type CallContext, defineTool, errorText, text } from './tool.ts';

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

export const switchModeTool = defineTool({
  name: 'switch_mode',
  kind: 'switchModeToolCall',
  access: 'read',
  description: 'Asks the user to let you work in another mode, when the task calls for it.',
  schema,
  offered: ({ user }) => user,
  shownArgs,
  shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
  *run(args, context) {
    const response = yield* query('switchModeRequestQuery', { args: shownArgs(args, context) });
    const answer = response?.result;
    if (answer?.case === 'rejected') {
      const { reason } = answer.value;
      const output = errorText(notAllowed(reason));
      return { result: { result: { case: 'rejected', value: { reason } } }, output };
    }
    if (answer?.case !== 'approved') return { failure: NOT_UNDERSTOOD };
    const value = { fromModeId: nameOf(context.mode), toModeId: args.mode };
    return {
      result: { result: { case: 'success', value } },
      output: text(`You are in ${args.mode} mode.`),
      changes: { mode: MODES[args.mode] },
    };
  },
});

function nameOf(mode: agent.AgentMode): string {
  const known = (Object.keys(MODES) as ModeId[]).find((id) => MODES[id] === mode);
  return known ?? agent.AgentMode[mode]?.toLowerCase() ?? '';
}

function shownArgs({ mode, explanation }: z.infer<typeof schema>, { callId }: CallContext) {
  return { targetModeId: mode, explanation, toolCallId: callId };
}
