import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { callTool, execAnswer } from '../testing/call-tool.ts';
import { awaitTaskTool } from './await-task.ts';
import { taskTool } from './task.ts';

const ODD = 'The client gave an answer that is not understood.';
const custom = create(agent.CustomSubagentSchema, {
  name: 'reviewer',
  description: 'reviews\nchanges',
  permissionMode: agent.CustomSubagentPermissionMode.READONLY,
});
const tool = taskTool({ subagents: [custom], readOnly: false, models: ['fast'] });
const input = { description: 'Look', prompt: 'Look for it.', type: 'explore' };
type Result = MessageInitShape<typeof agent.SubagentResultSchema>['result'];
const answered = (result: Result, more = {}) =>
  callTool(tool, { ...input, ...more }, [execAnswer({ case: 'subagentResult', value: { result } })]);

describe('task', () => {
  it('has the client open a run of its own', () => {
    const { asked, output, shown } = answered(
      { case: 'success', value: { agentId: 'a1', finalMessage: 'Found.', toolCallCount: 2 } },
      { resume: 'a0' },
    );
    expect(asked).toMatchObject([
      {
        type: 'exec',
        exec: {
          case: 'subagentArgs',
          value: {
            toolCallId: 'c1',
            subagentType: 'explore',
            modelId: 'parent-model',
            modelParameters: [{ id: 'effort', value: 'high' }],
            prompt: 'Look for it.',
            readonly: true,
            resumeAgentId: 'a0',
            runInBackground: false,
            parentConversationId: 'conv',
          },
        },
        repeatable: false,
      },
    ]);
    expect(output).toEqual({ type: 'text', value: 'Found.\n[Agent a1]' });
    expect(shown).toMatchObject({
      case: 'taskToolCall',
      value: {
        args: { description: 'Look', prompt: 'Look for it.', subagentType: { type: { case: 'explore' } } },
        result: {
          result: {
            case: 'success',
            value: {
              agentId: 'a1',
              isBackground: false,
              conversationSteps: [{ message: { case: 'assistantMessage', value: { text: 'Found.' } } }],
            },
          },
        },
      },
    });
  });

  it('can be started without waiting for it', () => {
    const backgroundReason = agent.SubagentBackgroundReason.AGENT_REQUEST;
    const { asked, output, shown } = answered(
      { case: 'success', value: { agentId: 'a1', backgroundReason } },
      { background: true },
    );
    expect(asked).toMatchObject([{ exec: { value: { runInBackground: true } } }]);
    expect(output?.value).toContain('Runs in the background as agent a1');
    expect(shown).toMatchObject({ value: { result: { result: { value: { isBackground: true } } } } });
  });

  it.each<[Result, string]>([
    [{ case: 'error', value: { error: 'limit' } }, 'limit'],
    [{ case: undefined }, ODD],
  ])('%j', (result, value) => {
    const { output, shown } = answered(result);
    expect(output).toEqual({ type: 'error-text', value });
    expect(shown).toMatchObject({
      value: { result: { result: { case: 'error', value: { error: value } } } },
    });
  });

  it("offers the user's own kinds, and the models that may be chosen", () => {
    const described = JSON.stringify(tool.definition.inputSchema);
    expect(described).toContain('- reviewer: reviews changes');
    expect(described).toContain('"enum":["fast"]');
    const own = callTool(tool, { ...input, type: 'reviewer', model: 'fast' }, [], {
      subagentModel: (type, wanted) => ({ modelId: `${type} ${wanted}`, parameters: {} }),
    });
    expect(own.asked).toMatchObject([
      { exec: { value: { subagentType: 'reviewer', readonly: true, modelId: 'reviewer fast' } } },
    ]);
    expect(() => callTool(tool, { ...input, model: 'other' }, [])).toThrow('model');
    const without = taskTool({ subagents: [], readOnly: false, models: [] });
    expect(() => callTool(without, { ...input, model: 'fast' }, [])).toThrow('model');
  });

  it('offers only what changes nothing where only reading is allowed', () => {
    const reading = taskTool({ subagents: [custom], readOnly: true, models: [] });
    expect(() => callTool(reading, { ...input, type: 'shell' }, [])).toThrow('type');
    expect(callTool(reading, { ...input, type: undefined }, []).asked).toMatchObject([
      { exec: { value: { subagentType: 'explore', readonly: true } } },
    ]);
  });

  it('does not start a kind that the user has switched off', () => {
    const { asked, output } = callTool(tool, input, [], { subagentModel: () => undefined });
    expect(asked).toEqual([]);
    expect(output).toEqual({ type: 'error-text', value: 'Agents of the kind explore are switched off.' });
  });
});

describe('await_task', () => {
  it.each<[MessageInitShape<typeof agent.SubagentAwaitResultSchema>['result'], string, string]>([
    [{ case: 'complete', value: { finalMessage: 'Found.' } }, 'text', 'Found.'],
    [{ case: 'complete', value: {} }, 'text', 'The task has ended without a message.'],
    [
      { case: 'stillRunning', value: { transcriptPath: '/t' } },
      'text',
      'It still runs. Its transcript is in /t.',
    ],
    [{ case: 'notFound', value: {} }, 'error-text', 'There is no task of agent a1.'],
    [{ case: 'error', value: { error: 'boom' } }, 'error-text', 'boom'],
    [{ case: undefined }, 'error-text', ODD],
  ])('%j', (result, type, value) => {
    const { asked, output, shown } = callTool(awaitTaskTool, { agent_id: 'a1', timeout_ms: 5_000 }, [
      execAnswer({ case: 'subagentAwaitResult', value: { result } }),
    ]);
    expect(asked).toMatchObject([
      {
        exec: { case: 'subagentAwaitArgs', value: { agentId: 'a1', timeoutMs: 5_000 } },
        deadline: { ms: 35_000, from: 'request' },
        repeatable: true,
      },
    ]);
    expect(output).toEqual({ type, value });
    expect(shown?.case).toBe('awaitToolCall');
  });
});
