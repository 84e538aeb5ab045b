import { z } from 'zod';
import { cutEnd } from './cut-text.ts';
import { exec, NOT_UNDERSTOOD } from './steps.ts';
import { defineTool, text } from './tool.ts';

const DEFAULT_WAIT_MS = 60_000;
const MAX_WAIT_MS = 600_000;
const GRACE_MS = 30_000;

export const awaitTaskTool = defineTool({
  name: 'await_task',
  kind: 'awaitToolCall',
  access: 'read',
  description: 'Waits for a task that runs in the background, and returns its result.',
  schema: z.strictObject({
    agent_id: z.string().min(1).describe('The id that the task gave when it was started in the background.'),
    timeout_ms: z
      .int()
      .min(0)
      .max(MAX_WAIT_MS)
      .optional()
      .describe(`How long to wait at most. Default: ${DEFAULT_WAIT_MS}.`),
  }),
  offered: ({ task }) => task !== undefined,
  shownArgs: ({ agent_id: taskId, timeout_ms: blockUntilMs = DEFAULT_WAIT_MS }) => ({ taskId, blockUntilMs }),
  shownFailure: (error) => ({ result: { case: 'error', value: { error } } }),
  *run({ agent_id: agentId, timeout_ms: timeoutMs = DEFAULT_WAIT_MS }) {
    const deadline = { ms: timeoutMs + GRACE_MS, from: 'request' } as const;
    const found = yield* exec('subagentAwaitArgs', { agentId, timeoutMs }, { deadline, repeatable: true });
    if (found.case === 'notFound') return { failure: `There is no task of agent ${agentId}.` };
    if (found.case === 'error') return { failure: found.value.error };
    if (found.case === undefined) return { failure: NOT_UNDERSTOOD };
    const { transcriptPath = '' } = found.value;
    const value = { taskId: agentId, outputFilePath: transcriptPath };
    const result = {
      result: { case: 'success', value: { awaitResult: { case: found.case, value } } },
    } as const;
    if (found.case === 'complete') {
      const said = cutEnd(found.value.finalMessage ?? '') || 'The task has ended without a message.';
      return { result, output: text(said) };
    }
    const at = transcriptPath ? ` Its transcript is in ${transcriptPath}.` : '';
    return { result, output: text(`It still runs.${at}`) };
  },
});
