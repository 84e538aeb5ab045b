import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { evolveShell, NEW_SHELL_RUN } from '../tools/shell-run.ts';
import type { Answer, Request } from '../tools/steps.ts';
import type { CallContext, Changes, Tool, ToolOutput } from '../tools/tool.ts';

type ExecAnswer = MessageInitShape<typeof agent.ExecClientMessageSchema>['message'];

export interface ToolOutcome {
  /** What was asked, one after another. */
  readonly asked: readonly Request[];
  readonly shown: agent.ToolCall['tool'] | undefined;
  readonly output: ToolOutput | undefined;
  readonly changes: Changes | undefined;
}

export const TEST_CONTEXT: CallContext = {
  callId: 'c1',
  startedAt: 0,
  earlierCalls: () => [],
  terminalsFolder: '/terminals',
  conversationId: 'conv',
  mode: agent.AgentMode.AGENT,
  subagentModel: () => ({ modelId: 'parent-model', parameters: { effort: 'high' } }),
};

/** Plays one call of a tool: each request gets the next answer; the call stays open when answers run out. */
export function callTool(
  tool: Tool,
  input: unknown,
  answers: readonly Answer[],
  context: Partial<CallContext> = {},
): ToolOutcome {
  const bound = tool.bind(input, { ...TEST_CONTEXT, ...context });
  if (typeof bound === 'string') throw new Error(bound);
  const asked: Request[] = [];
  for (let count = 0; count <= answers.length; count++) {
    const next = bound.next(answers.slice(0, count));
    if ('done' in next) {
      const shown = create(agent.ToolCallSchema, { tool: next.done.shown }).tool;
      return { asked, shown, output: next.done.output, changes: next.done.changes };
    }
    asked.push(next.request);
  }
  return { asked, shown: undefined, output: undefined, changes: undefined };
}

/** An answer as it comes from the wire. */
export function execAnswer(message: ExecAnswer): Answer {
  return { type: 'exec', message: create(agent.ExecClientMessageSchema, { message }).message };
}

/** What a running command tells, up to its end. */
export function shellAnswer(
  events: readonly MessageInitShape<typeof agent.ShellStreamSchema>['event'][],
): Answer {
  const run = events.reduce(
    (state, event) => evolveShell(state, create(agent.ShellStreamSchema, { event }).event),
    NEW_SHELL_RUN,
  );
  return { type: 'shell', run };
}

/** A user's answer as it comes from the wire. */
export function queryAnswer(
  result: MessageInitShape<typeof agent.InteractionResponseSchema>['result'],
): Answer {
  return { type: 'query', result: create(agent.InteractionResponseSchema, { result }).result };
}
