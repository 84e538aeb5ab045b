import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../testing/action-play.ts';
import { runRequest } from '../../testing/test-client.ts';
import { TestTurn } from '../../testing/test-turn.ts';
import { finish, ToolClient } from '../../testing/tool-play.ts';
import { createState } from '../state.ts';
import { subagentModel } from './models.ts';

const { CustomSubagentPermissionMode } = agent;

/** A nested run, as a client opens it for a subagent. */
function nested(type: string, custom: readonly MessageInitShape<typeof agent.CustomSubagentSchema>[] = []) {
  const turn = new TestTurn();
  const client = new ToolClient();
  client.context.customSubagents = custom.map((one) => create(agent.CustomSubagentSchema, one));
  const fields = {
    requestedModel: undefined,
    modelDetails: { modelId: 'test-model' },
    subagentTypeName: type,
    conversationId: 'child',
    conversationGroupId: 'parent',
  };
  turn.command(runRequest('the task', undefined, fields));
  turn.input({ type: 'activated' });
  client.answerAll(turn);
  const request = turn.take('model_call')[0]?.request;
  return { turn, client, request, names: request?.tools.map(({ name }) => name) ?? [] };
}

describe('the run of a subagent', () => {
  it.each(['explore', 'EXPLORE', 'cursor_guide'])('%s is told what it is, and may only read', (type) => {
    const { request, names } = nested(type);
    expect(textOf(request?.messages[0])).toContain('You are a subagent');
    expect(request?.model).toBe('test-model');
    expect(names).toContain('read_file');
    expect(names).not.toContain('write_file');
  });

  it.each(['shell', 'bash', 'debug', 'generalPurpose', 'of a kind that nobody knows'])(
    '%s is told what it is, and may do everything',
    (type) => {
      const { request, names } = nested(type);
      expect(textOf(request?.messages[0])).toContain('You are a subagent');
      expect(names).toContain('write_file');
    },
  );

  it('that the user has made gets its own prompt and its own permission', () => {
    const reviewer = {
      name: 'reviewer',
      prompt: 'You review.',
      permissionMode: CustomSubagentPermissionMode.READONLY,
    };
    const { request, names } = nested('reviewer', [reviewer]);
    expect(textOf(request?.messages[0])).toBe('You review.');
    expect(names).not.toContain('write_file');
    expect(nested('reviewer', [{ ...reviewer, permissionMode: 0 }]).names).toContain('write_file');
  });

  it('claims its own conversation, not that of its group', () => {
    const turn = new TestTurn();
    turn.command(runRequest('x', undefined, { conversationId: 'child', conversationGroupId: 'parent' }));
    expect(turn.take('activate_conversation')).toEqual([
      { type: 'activate_conversation', conversationId: 'child', patient: false },
    ]);
  });

  it('ends with a last message that its client can hand to the parent', () => {
    const { turn, client } = nested('explore');
    turn.result({ type: 'model_event', call: 1, event: { type: 'text', text: 'It is in a.ts.' } });
    turn.result({ type: 'model_event', call: 1, event: finish('stop') });
    client.answerAll(turn);
    expect(turn.end?.outcome).toBe('completed');
    expect(textOf(client.transcript().at(-1))).toBe('It is in a.ts.');
  });
});

describe('the model of a subagent', () => {
  type Custom = Omit<MessageInitShape<typeof agent.CustomSubagentSchema>, '$typeName'>;
  type Run = Omit<MessageInitShape<typeof agent.AgentRunRequestSchema>, '$typeName'>;
  const choose = (run: Run, wanted?: string, custom: Custom = {}) => {
    const context = create(agent.RequestContextSchema, {
      customSubagents: [create(agent.CustomSubagentSchema, { name: 'reviewer', ...custom })],
    });
    const request = create(agent.AgentRunRequestSchema, { requestedModel: { modelId: 'parent' }, ...run });
    const state = {
      ...createState(new TestTurn().facts),
      request: { run: request, action: undefined },
      context: { status: 'known', value: context } as const,
    };
    return subagentModel(state, 'reviewer', wanted)?.modelId;
  };
  const type = 'reviewer';

  it.each<[string, string | undefined, Parameters<typeof choose>]>([
    ["its parent's", 'parent', [{}]],
    ['its own', 'own', [{}, undefined, { model: 'own' }]],
    ["its parent's, when it says so", 'parent', [{}, undefined, { model: 'inherit' }]],
    [
      "its parent's, when its own is switched off",
      'parent',
      [{}, undefined, { model: 'own', forceDefaultModel: true }],
    ],
    [
      'what the parent asks for, when the user offers it',
      'fast',
      [{ selectedSubagentModels: [{ modelId: 'fast' }] }, 'fast'],
    ],
    ['not what the parent asks for when nobody offers it', 'parent', [{}, 'fast']],
    [
      'what the user chose for the type, before all else',
      'chosen',
      [
        {
          selectedSubagentModels: [{ modelId: 'fast' }],
          subagentModelOverrides: [
            { subagentType: type, selection: { case: 'model', value: { modelId: 'chosen' } } },
          ],
        },
        'fast',
        { model: 'own' },
      ],
    ],
    [
      "its parent's, when the user says so",
      'parent',
      [
        { subagentModelOverrides: [{ subagentType: type, selection: { case: 'inherit', value: true } }] },
        undefined,
        { model: 'own' },
      ],
    ],
    [
      'none, when the user has switched it off',
      undefined,
      [{ subagentModelOverrides: [{ subagentType: type, selection: { case: 'disabled', value: true } }] }],
    ],
  ])('is %s', (_, expected, args) => expect(choose(...args)).toBe(expected));
});
