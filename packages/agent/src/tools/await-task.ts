import { z } from 'zod';
import { execResult, NOT_UNDERSTOOD } from './answers.ts';
import { cutEnd } from './cut-text.ts';
import { defineTool, errorText, type ShownTool, text } from './tool.ts';

const DEFAULT_WAIT_MS = 60_000;
const MAX_WAIT_MS = 600_000;
const GRACE_MS = 30_000;

const schema = z.strictObject({
  agent_id: z.string().min(1).describe('The id that the task gave when it was started in the background.'),
  timeout_ms: z
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .optional()
    .describe(`How long to wait at most. Default: ${DEFAULT_WAIT_MS}.`),
});
type Args = z.infer<typeof schema>;

export const awaitTaskTool = defineTool<Args>({
  name: 'await_task',
  kind: 'awaitToolCall',
  access: 'read',
  description: 'Waits for a task that runs in the background, and returns its result.',
  schema,
  show: (args) => ({ case: 'awaitToolCall', value: { args: wireArgs(args) } }),
  refuse,
  next(args, [answer]) {
    const { agent_id: agentId, timeout_ms: timeoutMs = DEFAULT_WAIT_MS } = args;
    if (!answer) {
      const exec = { case: 'subagentAwaitArgs', value: { agentId, timeoutMs } } as const;
      return {
        ask: {
          type: 'exec',
          exec,
          deadline: { ms: timeoutMs + GRACE_MS, from: 'request' },
          repeatable: true,
        },
      };
    }
    const result = execResult(answer, 'subagentAwaitResult')?.result;
    switch (result?.case) {
      case 'complete': {
        const { finalMessage = '', transcriptPath = '' } = result.value;
        const said = cutEnd(finalMessage) || 'The task has ended without a message.';
        return { done: { shown: shown(args, 'complete', transcriptPath), output: text(said) } };
      }
      case 'stillRunning': {
        const { transcriptPath = '' } = result.value;
        const at = transcriptPath ? ` Its transcript is in ${transcriptPath}.` : '';
        return {
          done: { shown: shown(args, 'stillRunning', transcriptPath), output: text(`It still runs.${at}`) },
        };
      }
      case 'notFound':
        return fail(args, `There is no task of agent ${agentId}.`);
      case 'error':
        return fail(args, result.value.error);
      default:
        return fail(args, NOT_UNDERSTOOD);
    }
  },
});

function shown(args: Args, state: 'complete' | 'stillRunning', outputFilePath: string): ShownTool {
  const value = { taskId: args.agent_id, outputFilePath };
  return {
    case: 'awaitToolCall',
    value: {
      args: wireArgs(args),
      result: { result: { case: 'success', value: { awaitResult: { case: state, value } } } },
    },
  };
}

function fail(args: Args, reason: string) {
  return { done: { shown: refuse(args, reason), output: errorText(reason) } };
}

function wireArgs({ agent_id: taskId, timeout_ms: blockUntilMs = DEFAULT_WAIT_MS }: Args) {
  return { taskId, blockUntilMs };
}

function refuse(args: Args, error: string): ShownTool {
  return {
    case: 'awaitToolCall',
    value: { args: wireArgs(args), result: { result: { case: 'error', value: { error } } } },
  };
}
