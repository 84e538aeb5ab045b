import type { MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { callTool, queryAnswer } from '../testing/call-tool.ts';
import { askQuestionTool } from './ask-question.ts';
import { createPlanTool } from './create-plan.ts';
import { switchModeTool } from './switch-mode.ts';

const ODD = 'The client gave an answer that is not understood.';

describe('ask_question', () => {
  const input = {
    title: 'Choice',
    questions: [
      { prompt: 'Which?', options: ['red', 'blue'] },
      { prompt: 'Why?', options: ['a', 'b'], allow_multiple: true },
    ],
  };
  const answered = (result: MessageInitShape<typeof agent.AskQuestionResultSchema>['result']) =>
    callTool(askQuestionTool, input, [
      queryAnswer({ case: 'askQuestionInteractionResponse', value: { result: { result } } }),
    ]);

  it('puts its questions to the user, without a deadline, and tells the answers by their words', () => {
    const { asked, output, shown } = answered({
      case: 'success',
      value: {
        answers: [
          { questionId: '2', selectedOptionIds: ['1', '2'], freeformText: 'and more' },
          { questionId: '1', selectedOptionIds: ['2'] },
        ],
      },
    });
    expect(asked).toMatchObject([
      {
        type: 'query',
        query: {
          case: 'askQuestionInteractionQuery',
          value: {
            toolCallId: 'c1',
            args: {
              title: 'Choice',
              questions: [
                {
                  id: '1',
                  prompt: 'Which?',
                  allowMultiple: false,
                  options: [{ id: '1', label: 'red' }, { id: '2' }],
                },
                { id: '2', allowMultiple: true },
              ],
            },
          },
        },
      },
    ]);
    expect(asked[0]).not.toHaveProperty('deadline');
    expect(output).toEqual({ type: 'text', value: 'Which?\nblue\n\nWhy?\na; b; and more' });
    expect(shown).toMatchObject({
      case: 'askQuestionToolCall',
      value: { result: { result: { case: 'success' } } },
    });
  });

  it.each<[MessageInitShape<typeof agent.AskQuestionResultSchema>['result'], string, string]>([
    [{ case: 'success', value: {} }, 'text', 'Which?\n(no answer)\n\nWhy?\n(no answer)'],
    [
      { case: 'async', value: {} },
      'text',
      'The user was asked and will answer later. Go on without the answer, or end your turn.',
    ],
    [{ case: 'rejected', value: { reason: 'later' } }, 'error-text', 'The user does not answer. later'],
    [{ case: 'error', value: { errorMessage: 'boom' } }, 'error-text', 'boom'],
    [{ case: undefined }, 'error-text', ODD],
  ])('%j', (result, type, value) => {
    const { output, shown } = answered(result);
    expect(output).toEqual({ type, value });
    expect(shown).toMatchObject({ value: { result: { result: { case: result?.case ?? 'error' } } } });
  });

  it('tells an answer to something else', () => {
    const other = queryAnswer({ case: 'createPlanRequestResponse', value: {} });
    expect(callTool(askQuestionTool, input, [other]).output).toEqual({ type: 'error-text', value: ODD });
  });

  it.each([{}, { questions: [] }, { questions: [{ prompt: 'x', options: ['only'] }] }])(
    'refuses %j',
    (bad) => {
      expect(() => callTool(askQuestionTool, bad, [])).toThrow('questions');
    },
  );
});

describe('create_plan', () => {
  const input = { name: 'P', overview: 'o', plan: '# Plan', todos: ['one', 'two'] };
  const answered = (result: MessageInitShape<typeof agent.CreatePlanResultSchema>) =>
    callTool(createPlanTool, input, [queryAnswer({ case: 'createPlanRequestResponse', value: { result } })]);

  it('shows the plan, and keeps it with its steps in the conversation', () => {
    const { asked, output, shown, changes } = answered({
      result: { case: 'success', value: {} },
      planUri: 'file:///p',
    });
    expect(asked).toMatchObject([
      {
        type: 'query',
        query: {
          case: 'createPlanRequestQuery',
          value: { toolCallId: 'c1', args: { name: 'P', plan: '# Plan' } },
        },
      },
    ]);
    expect(output).toEqual({
      type: 'text',
      value: "The user has the plan. It is kept in file:///p. Don't carry it out before you are told to.",
    });
    expect(changes).toMatchObject({
      plan: '# Plan',
      todos: [
        { id: '1', content: 'one', status: agent.TodoStatus.PENDING },
        { id: '2', content: 'two' },
      ],
    });
    expect(shown).toMatchObject({ case: 'createPlanToolCall', value: { result: { planUri: 'file:///p' } } });
  });

  it.each<[MessageInitShape<typeof agent.CreatePlanResultSchema>, string]>([
    [{ result: { case: 'error', value: { error: 'no' } } }, 'no'],
    [{}, ODD],
  ])('%j', (result, value) => {
    const { output, changes, shown } = answered(result);
    expect(output).toEqual({ type: 'error-text', value });
    expect(changes).toBeUndefined();
    expect(shown).toMatchObject({ value: { result: { result: { case: 'error' } } } });
  });
});

describe('switch_mode', () => {
  const input = { mode: 'plan', explanation: 'large' };
  const answered = (result: MessageInitShape<typeof agent.SwitchModeRequestResponseSchema>['result']) =>
    callTool(switchModeTool, input, [queryAnswer({ case: 'switchModeRequestResponse', value: { result } })]);

  it('switches once the user allows it', () => {
    const { asked, output, shown, changes } = answered({ case: 'approved', value: {} });
    expect(asked).toMatchObject([
      {
        query: {
          case: 'switchModeRequestQuery',
          value: { args: { targetModeId: 'plan', explanation: 'large', toolCallId: 'c1' } },
        },
      },
    ]);
    expect(output?.value).toBe('You are in plan mode.');
    expect(changes).toEqual({ mode: agent.AgentMode.PLAN });
    expect(shown).toMatchObject({
      value: { result: { result: { case: 'success', value: { fromModeId: 'agent', toModeId: 'plan' } } } },
    });
  });

  it.each<[MessageInitShape<typeof agent.SwitchModeRequestResponseSchema>['result'], string, string]>([
    [{ case: 'rejected', value: { reason: 'no' } }, 'rejected', 'The user did not allow it. no'],
    [{ case: undefined }, 'error', ODD],
  ])('%j', (result, kind, value) => {
    const { output, shown, changes } = answered(result);
    expect(output).toEqual({ type: 'error-text', value });
    expect(shown).toMatchObject({ value: { result: { result: { case: kind } } } });
    expect(changes).toBeUndefined();
  });
});
