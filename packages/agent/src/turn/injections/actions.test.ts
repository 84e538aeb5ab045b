import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { type Action, act, actionRequest, textOf } from '../../testing/action-play.ts';
import { runRequest } from '../../testing/test-client.ts';
import { TestTurn } from '../../testing/test-turn.ts';
import { call, finish, startToolTurn, ToolClient, updates } from '../../testing/tool-play.ts';

/** What the model is asked first. */
function begin(action: Action | undefined, more = {}) {
  const { turn, client, say } = startToolTurn({}, actionRequest(action, more));
  const request = turn.take('model_call')[0]?.request;
  return { turn, client, say, said: textOf(request?.messages.at(-1)), tools: request?.tools ?? [] };
}

describe('an action that begins a turn', () => {
  it('carries out a plan in agent mode, as a message that the user did not write', () => {
    const { said, client, tools } = begin({
      case: 'executePlanAction',
      value: { planFileContent: '1. Do it', planFilePath: '/p.md', planId: 'p', kickoffMessageId: 'k' },
    });
    expect(said).toContain('<plan>\n1. Do it\n</plan>');
    expect(said).toContain('/p.md');
    expect(tools.map(({ name }) => name)).toContain('write_file');
    expect(client.lastTurn().userMessage).toMatchObject({
      messageId: 'k',
      isSimulatedMsg: true,
      simulatedMsgReason: agent.SimulatedMsgReason.PLAN_EXECUTION,
      executePlanInfo: { planId: 'p' },
    });
  });

  it('makes a plan without tools that change things', () => {
    const { said, tools, client } = begin({
      case: 'startPlanAction',
      value: { userMessage: { text: 'a new feature' } },
    });
    expect(said).toContain('a new feature');
    expect(said).toContain('You are in plan mode.');
    expect(tools.map(({ name }) => name)).not.toContain('write_file');
    expect(client.checkpoint?.mode).toBe(agent.AgentMode.PLAN);
  });

  it('brings the answers to questions that nobody waited for', () => {
    const { said } = begin({
      case: 'asyncAskQuestionCompletionAction',
      value: {
        originalArgs: {
          questions: [{ id: 'q', prompt: 'Which?', options: [{ id: 'a', label: 'The first' }] }],
        },
        result: {
          result: { case: 'success', value: { answers: [{ questionId: 'q', selectedOptionIds: ['a'] }] } },
        },
      },
    });
    expect(said).toContain('Which?\nThe first');
  });

  it('brings notifications, and shows them where the client wants it', () => {
    const { said, turn } = begin({
      case: 'subscriptionNotificationAction',
      value: { notifications: [{ text: 'CI is red' }], sendToInteractionListener: true },
    });
    expect(said).toContain('CI is red');
    expect(updates(turn).filter((update) => update.case === 'userMessageAppended')).toHaveLength(1);
  });

  it('remembers completions that are only to be remembered, without a model', () => {
    const { turn, client } = begin({
      case: 'backgroundTaskCompletionAction',
      value: { completions: [{ taskId: '1', recordOnly: true, detail: 'fine' }] },
    });
    client.answerAll(turn);
    expect(turn.state.modelCalls).toBe(0);
    expect(turn.end).toEqual({ kind: 'end', outcome: 'completed' });
    expect(textOf(client.transcript().at(-1))).toContain('fine');
  });

  it.each<[string, Action | undefined, string, object?]>([
    ['no action', undefined, 'unsupported'],
    ['an action without a message', { case: 'userMessageAction', value: {} }, 'bad_request'],
    ['a plan without a message', { case: 'startPlanAction', value: {} }, 'bad_request'],
    [
      'an empty command',
      { case: 'shellCommandAction', value: { shellCommand: { command: ' ' } } },
      'bad_request',
    ],
    ['a resume of nothing', { case: 'resumeAction', value: {} }, 'bad_request'],
    ['a goal without a conversation', { case: 'goalContinuationAction', value: {} }, 'bad_request'],
    ['no completion', { case: 'backgroundTaskCompletionAction', value: {} }, 'bad_request'],
    ['no notification', { case: 'subscriptionNotificationAction', value: {} }, 'bad_request'],
    ['a cancel of nothing', { case: 'cancelAction', value: {} }, 'bad_request'],
    ['a steer of nothing', { case: 'injectContextAction', value: {} }, 'bad_request'],
    ['a subagent that is not there', { case: 'cancelSubagentAction', value: {} }, 'bad_request'],
    ['a shell that is not there', { case: 'backgroundShellAction', value: {} }, 'bad_request'],
    ['a summary', { case: 'summarizeAction', value: {} }, 'unsupported'],
  ])('is refused with a reason: %s', (_, action, reason) => {
    const { turn } = begin(action);
    expect(turn.end).toMatchObject({ outcome: 'failed', error: { reason, retryable: false } });
  });
});

describe('an action while the turn runs', () => {
  it('sends a shell, or a subagent, to the background', () => {
    const { turn, client } = startToolTurn();
    act(turn, { case: 'backgroundShellAction', value: { toolCallId: 'c1' } });
    act(turn, { case: 'backgroundSubagentAction', value: { toolCallId: 'c2' } });
    client.read(turn);
    expect(client.execs.map(({ message }) => message)).toMatchObject([
      { case: 'forceBackgroundShellArgs', value: { toolCallId: 'c1' } },
      { case: 'forceBackgroundSubagentArgs', value: { toolCallId: 'c2' } },
    ]);
  });

  it('stops one call that is named, and the turn goes on', () => {
    const { turn, client, say } = startToolTurn();
    say(...call('c1', 'run_command', { command: 'sleep 9' }), finish('tool_calls'));
    act(turn, { case: 'cancelSubagentAction', value: { subagentId: 'other' } });
    client.read(turn);
    expect(client.aborted).toEqual([]);
    act(turn, { case: 'cancelSubagentAction', value: { subagentId: 'c1' } });
    client.read(turn);
    expect(client.aborted).toEqual([client.execs[0]?.id]);
    expect(turn.take('model_call').at(-1)?.request.messages.at(-1)).toMatchObject({
      content: [{ toolCallId: 'c1', output: { type: 'error-text' } }],
    });
  });

  it.each<Action>([
    { case: 'summarizeAction', value: {} },
    { case: 'shellCommandAction', value: { shellCommand: { command: 'ls' } } },
    { case: undefined },
  ])('is refused with a notice: $case', (action) => {
    const { turn, client } = startToolTurn();
    act(turn, action);
    client.read(turn);
    expect(updates(turn).at(-1)).toMatchObject({
      case: 'textDelta',
      value: { isServerNotice: true, text: expect.stringContaining("can't be done while a turn runs") },
    });
    expect(turn.end).toBeUndefined();
  });

  it.each<Action>([
    { case: 'resumeAction', value: {} },
    { case: 'goalContinuationAction', value: {} },
  ])('changes nothing when the turn goes on anyway: $case', (action) => {
    const { turn } = startToolTurn();
    const before = turn.frames().length;
    act(turn, action);
    expect(turn.frames()).toHaveLength(before);
  });
});

describe('what the client knows of calls that were out', () => {
  const resolutions = create(agent.InterruptedPendingToolCallResolutionsSchema, {
    resolutions: [
      {
        toolCallId: 'c1',
        resolution: {
          case: 'shellResult',
          value: { result: { case: 'failure', value: { stdout: 'half way', exitCode: 130 } } },
        },
      },
    ],
  });

  it('is told to the model when the user cancels', () => {
    const { turn, client, say } = startToolTurn();
    say(...call('c1', 'run_command', { command: 'make' }), finish('tool_calls'));
    act(turn, {
      case: 'cancelAction',
      value: { interruptedPendingToolCallResolutions: resolutions },
    });
    client.answerAll(turn);
    turn.expire('ending');
    client.answerAll(turn);
    expect(JSON.stringify(client.transcript().at(-1))).toContain('half way');
  });

  it('is told to the model when it comes with the next message', () => {
    const { turn: first, client, say } = startToolTurn();
    say(...call('c1', 'run_command', { command: 'make' }), finish('tool_calls'));
    client.answerAll(first);
    const turn = new TestTurn({ requestId: 'r2' });
    const next = new ToolClient();
    for (const [id, data] of client.blobs) next.blobs.set(id, data);
    const action: Action = {
      case: 'userMessageAction',
      value: {
        userMessage: create(agent.UserMessageSchema, { text: 'go on' }),
        interruptedPendingToolCallResolutions: resolutions,
      },
    };
    turn.command(actionRequest(action, { conversationState: client.checkpoint }));
    turn.input({ type: 'activated' });
    next.answerAll(turn);
    const messages = turn.take('model_call')[0]?.request.messages ?? [];
    expect(JSON.stringify(messages.at(-2))).toContain('half way');
    expect(textOf(messages.at(-1))).toContain('go on');
  });
});

it('goes on from a resume without a word of a mode that it is in already', () => {
  const { turn } = startToolTurn({}, runRequest('hello'));
  const [request] = turn.take('model_call');
  expect(JSON.stringify(request?.request.messages)).not.toContain('<mode>');
});
