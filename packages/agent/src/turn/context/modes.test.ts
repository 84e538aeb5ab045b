import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import type { ModelCall } from '../../model/port.ts';
import { actionRequest, textOf } from '../../testing/action-play.ts';
import { TestTurn } from '../../testing/test-turn.ts';
import { call, finish, ToolClient } from '../../testing/tool-play.ts';

const { AgentMode } = agent;

type Fields = Omit<MessageInitShape<typeof agent.UserMessageSchema>, '$typeName'>;

/** Plays whole turns of one conversation, and returns what the model was asked in each. */
function conversation() {
  const client = new ToolClient();
  let turns = 0;
  return {
    client,
    ask(message: Fields): ModelCall {
      turns += 1;
      const turn = new TestTurn({ requestId: `r${turns}` });
      client.readFrom(undefined);
      const userMessage = create(agent.UserMessageSchema, { text: `message ${turns}`, ...message });
      turn.command(
        actionRequest(
          { case: 'userMessageAction', value: { userMessage } },
          { conversationState: client.checkpoint ?? {} },
        ),
      );
      turn.input({ type: 'activated' });
      client.answerAll(turn);
      const request = turn.take('model_call')[0]?.request;
      if (!request) throw new Error('no model call');
      turn.result({ type: 'model_event', call: 1, event: { type: 'text', text: 'ok' } });
      turn.result({ type: 'model_event', call: 1, event: finish('stop') });
      client.answerAll(turn);
      return request;
    },
  };
}

const names = ({ tools }: ModelCall) => tools.map(({ name }) => name);
const last = ({ messages }: ModelCall) => textOf(messages.at(-1));

describe('a mode', () => {
  it('is told once, when it begins and when it ends, and nothing is rewritten', () => {
    const { ask } = conversation();
    const first = ask({ mode: AgentMode.AGENT });
    expect(last(first)).not.toContain('mode');
    const second = ask({ mode: AgentMode.ASK });
    expect(last(second)).toContain('You are in ask mode.');
    const third = ask({ mode: AgentMode.ASK });
    expect(last(third)).not.toContain('mode');
    const fourth = ask({ mode: AgentMode.AGENT });
    expect(last(fourth)).toContain('all of your tools again');
    const fifth = ask({ mode: AgentMode.PLAN });
    expect(last(fifth)).toContain('create_plan');
    const calls = [first, second, third, fourth, fifth];
    for (const [index, request] of calls.slice(1).entries()) {
      const before = JSON.stringify(calls[index]?.messages);
      expect(JSON.stringify(request.messages).startsWith(before.slice(0, -1))).toBe(true);
    }
  });

  it.each([AgentMode.ASK, AgentMode.PLAN])('%s offers no tool that changes anything', (mode) => {
    const request = conversation().ask({ mode });
    expect(names(request)).toContain('read_file');
    expect(names(request)).not.toContain('write_file');
    expect(names(request)).not.toContain('run_command');
  });

  it.each([AgentMode.AGENT, AgentMode.DEBUG, AgentMode.CUSTOM, AgentMode.MULTITASK, AgentMode.UNSPECIFIED])(
    '%s offers all tools',
    (mode) => expect(names(conversation().ask({ mode }))).toContain('write_file'),
  );

  it('lasts when a message does not say one', () => {
    const { ask } = conversation();
    ask({ mode: AgentMode.ASK });
    expect(names(ask({}))).not.toContain('write_file');
  });

  it('for debugging says where is logged', () => {
    const { ask, client } = conversation();
    client.context.debugModeConfig = create(agent.DebugModeConfigSchema, {
      logPath: '/tmp/debug.log',
      serverEndpoint: 'http://127.0.0.1:7242/x',
    });
    const said = last(ask({ mode: AgentMode.DEBUG }));
    expect(said).toContain('/tmp/debug.log');
    expect(said).toContain('http://127.0.0.1:7242/x');
  });

  it('of the user brings its instructions, and is remembered until it is left', () => {
    const { ask, client } = conversation();
    client.context.agentSkills = [
      create(agent.AgentSkillSchema, { fullPath: '/skills/review/SKILL.md', content: 'Be strict.' }),
    ];
    const enter = create(agent.CustomModeIntentSchema, {
      intent: {
        case: 'enter',
        value: { id: 'review', label: 'Review', sourcePath: '/skills/review/SKILL.md' },
      },
    });
    const said = last(ask({ mode: AgentMode.CUSTOM, customModeIntent: enter }));
    expect(said).toContain('the mode "Review"');
    expect(said).toContain('Be strict.');
    expect(client.checkpoint?.durableCustomModeId).toBe('review');
    expect(last(ask({ mode: AgentMode.CUSTOM }))).toBe('message 2');
    expect(client.checkpoint?.durableCustomModeId).toBe('review');
    const exit = create(agent.CustomModeIntentSchema, {
      intent: { case: 'exit', value: { nextMode: AgentMode.AGENT, exitedMode: { id: 'review' } } },
    });
    expect(last(ask({ mode: AgentMode.CUSTOM, customModeIntent: exit }))).toContain(
      'all of your tools again',
    );
    expect(client.checkpoint?.durableCustomModeId).toBeUndefined();
    expect(client.checkpoint?.mode).toBe(AgentMode.AGENT);
  });

  it('is told, and changes the tools, when a call switches it', () => {
    const turn = new TestTurn();
    const client = new ToolClient();
    const userMessage = create(agent.UserMessageSchema, { text: 'x' });
    turn.command(actionRequest({ case: 'userMessageAction', value: { userMessage } }));
    turn.input({ type: 'activated' });
    client.answerAll(turn);
    const [before] = turn.take('model_call');
    for (const event of [...call('c1', 'switch_mode', { mode: 'plan' }), finish('tool_calls')]) {
      turn.result({ type: 'model_event', call: 1, event });
    }
    const result = {
      case: 'switchModeRequestResponse',
      value: { result: { case: 'approved', value: {} } },
    } as const;
    turn.command({ case: 'interactionResponse', value: { id: 0, result } });
    const [after] = turn.take('model_call');
    if (!before || !after) throw new Error('no model call');
    expect(names(before.request)).toContain('write_file');
    expect(names(after.request)).not.toContain('write_file');
    expect(last(after.request)).toContain('You are in plan mode.');
    // Clients look at the mode of the checkpoint.
    expect(turn.state.changes.mode).toBe(AgentMode.PLAN);
  });

  it('refuses a tool that it does not offer', () => {
    const turn = new TestTurn();
    const client = new ToolClient();
    const userMessage = create(agent.UserMessageSchema, { text: 'x', mode: AgentMode.ASK });
    turn.command(actionRequest({ case: 'userMessageAction', value: { userMessage } }));
    turn.input({ type: 'activated' });
    client.answerAll(turn);
    for (const event of [...call('c1', 'write_file', { path: 'a', content: '' }), finish('tool_calls')]) {
      turn.result({ type: 'model_event', call: 1, event });
    }
    client.read(turn);
    expect(client.execs).toEqual([]);
    expect(turn.take('model_call').at(-1)?.request.messages.at(-1)).toMatchObject({
      content: [{ output: { type: 'error-text' } }],
    });
  });
});

describe("a client's list of tools", () => {
  const play = (options: { allowedTools?: string; excludedTools?: string }) => {
    const turn = new TestTurn(options);
    const client = new ToolClient();
    const userMessage = create(agent.UserMessageSchema, { text: 'x' });
    turn.command(actionRequest({ case: 'userMessageAction', value: { userMessage } }));
    turn.input({ type: 'activated' });
    client.answerAll(turn);
    return turn.take('model_call')[0]?.request.tools.map(({ name }) => name) ?? [];
  };

  it('limits what is offered', () => {
    expect(play({ allowedTools: 'read_tool_call, grep_tool_call' })).toEqual(['read_file', 'search_files']);
    expect(play({ allowedTools: '' })).toEqual([]);
    expect(play({ excludedTools: 'shell_tool_call' })).not.toContain('run_command');
    expect(play({ excludedTools: 'no_such_tool_call' })).toContain('run_command');
  });
});
