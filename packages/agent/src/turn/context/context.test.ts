import { create, toBinary } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { type Action, actionRequest, textOf } from '../../testing/action-play.ts';
import { TestTurn } from '../../testing/test-turn.ts';
import { ToolClient } from '../../testing/tool-play.ts';

type UserAction = Extract<Action, { case: 'userMessageAction' }>['value'];

/** A turn whose first model call the client has answered everything for. */
function open(value: UserAction, client = new ToolClient(), parts?: agent.RequestContextPartReferences) {
  const turn = new TestTurn();
  const action: Action = { case: 'userMessageAction', value };
  turn.command(actionRequest(action, { action: { action, requestContextParts: parts } }));
  turn.input({ type: 'activated' });
  client.answerAll(turn);
  const request = turn.take('model_call')[0]?.request;
  const asked = turn
    .frames()
    .some(
      ({ message: { message } }) =>
        message.case === 'execServerMessage' && message.value.message.case === 'requestContextArgs',
    );
  return { turn, client, request, asked, said: textOf(request?.messages.at(-1)) };
}

const message = (
  fields: Omit<Parameters<typeof create<typeof agent.UserMessageSchema>>[1] & object, '$typeName'>,
) => create(agent.UserMessageSchema, fields);

describe('the context of a turn', () => {
  it('is taken from the request where that brings it, and not asked for', () => {
    const requestContext = create(agent.RequestContextSchema, {
      env: { osVersion: 'plan 9' },
      hooksAdditionalContext: 'From a hook.',
    });
    const { asked, said } = open({ userMessage: message({ text: 'hi' }), requestContext });
    expect(asked).toBe(false);
    expect(said).toContain('plan 9');
    expect(said).toContain('From a hook.');
  });

  it('is put together from parts that come as blobs', () => {
    const client = new ToolClient();
    const rules = create(agent.RequestContextRulesPartSchema, {
      rules: [{ fullPath: '/w/AGENTS.md', content: 'Be kind.' }],
    });
    const skills = create(agent.RequestContextSkillsPartSchema, {
      agentSkills: [{ fullPath: '/s/SKILL.md', description: 'Deploying' }],
    });
    const mcps = create(agent.RequestContextMcpsPartSchema, {
      tools: [
        {
          name: 'look_up',
          providerIdentifier: 'wiki',
          toolName: 'look_up',
          inputSchemaJson: '{"type":"object"}',
        },
      ],
      mcpInstructions: [{ serverName: 'wiki', instructions: 'By title.' }],
    });
    const subagents = create(agent.RequestContextSubagentsPartSchema, {
      customSubagents: [{ name: 'reviewer', description: 'Reviews.', prompt: 'You review.' }],
    });
    const parts = create(agent.RequestContextPartReferencesSchema, {
      rulesBlobId: client.keep(toBinary(agent.RequestContextRulesPartSchema, rules)),
      skillsBlobId: client.keep(toBinary(agent.RequestContextSkillsPartSchema, skills)),
      mcpsBlobId: client.keep(toBinary(agent.RequestContextMcpsPartSchema, mcps)),
      subagentsBlobId: client.keep(toBinary(agent.RequestContextSubagentsPartSchema, subagents)),
      dynamicContext: { env: { osVersion: 'plan 9' } },
    });
    const { asked, said, request } = open({ userMessage: message({ text: 'hi' }) }, client, parts);
    expect(asked).toBe(false);
    for (const told of ['plan 9', 'Be kind.', 'Deploying', 'By title.']) expect(said).toContain(told);
    expect(request?.tools.map(({ name }) => name)).toContain('look_up');
    expect(JSON.stringify(request?.tools)).toContain('reviewer');
  });

  it('is told once, and again only where it has changed', () => {
    const first = open({ userMessage: message({ text: 'one' }) });
    first.turn.command({
      case: 'conversationAction',
      value: { action: { case: 'cancelAction', value: {} } },
    });
    first.client.answerAll(first.turn);
    const { client } = first;
    client.readFrom(undefined);
    client.context.gitRepos = [create(agent.GitRepoInfoSchema, { path: '/work', branchName: 'dev' })];
    const turn = new TestTurn({ requestId: 'r2' });
    const action: Action = { case: 'userMessageAction', value: { userMessage: message({ text: 'two' }) } };
    turn.command(actionRequest(action, { conversationState: client.checkpoint }));
    turn.input({ type: 'activated' });
    client.answerAll(turn);
    const said = textOf(turn.take('model_call')[0]?.request.messages.at(-1));
    expect(said).toContain('Branch: dev');
    expect(said).not.toContain('<environment>');
  });
});

describe('what comes with a message', () => {
  it('may be text, images and more by blob', () => {
    const client = new ToolClient();
    const bytes = (text: string) => client.keep(new TextEncoder().encode(text));
    const { request } = open(
      {
        userMessage: message({
          textBlobId: bytes('a long text'),
          selectedContext: {
            selectedImages: [
              { uuid: 'i', mimeType: 'image/png', dataOrBlobId: { case: 'blobId', value: bytes('PNG') } },
            ],
            extraContextEntries: [{ dataOrBlobId: { case: 'blobId', value: bytes('more') } }],
            files: [{ path: 'a.ts', content: 'let a;' }],
            codeSelections: [{ path: 'b.ts', content: 'let b;' }],
          },
          hookAdditionalContexts: [{ hookEventName: 'beforeSubmitPrompt', content: 'A hook says so.' }],
        }),
      },
      client,
    );
    const last = request?.messages.at(-1);
    for (const told of ['a long text', 'more', 'let a;', 'let b;', 'A hook says so.']) {
      expect(textOf(last)).toContain(told);
    }
    expect(last?.content).toContainEqual({
      type: 'image',
      image: Buffer.from('PNG').toString('base64'),
      mediaType: 'image/png',
    });
  });

  it('may be messages that go before it, which are shown where the client wants it', () => {
    const { turn, request } = open({
      prependUserMessages: [message({ text: 'zero' })],
      userMessage: message({ text: 'one' }),
      sendToInteractionListener: true,
    });
    expect(request?.messages.slice(-2).map(textOf)).toEqual([expect.stringContaining('zero'), 'one']);
    const shown = turn.frames().flatMap(({ message: { message: frame } }) => {
      const update = frame.case === 'interactionUpdate' ? frame.value.message : undefined;
      return update?.case === 'userMessageAppended' ? [update.value.userMessage?.text] : [];
    });
    expect(shown).toEqual(['zero', 'one']);
  });

  it('may be a conversation that was held elsewhere', () => {
    const history = create(agent.ConversationHistorySchema, {
      messages: [
        {
          message: {
            case: 'user',
            value: { content: [{ content: { case: 'text', value: { text: 'hi' } } }] },
          },
        },
        {
          message: {
            case: 'assistant',
            value: { content: [{ content: { case: 'text', value: { text: 'ho' } } }] },
          },
        },
      ],
      replaceUserInfo: true,
    });
    const { request } = open({ userMessage: message({ text: 'go on' }), conversationHistory: history });
    expect(request?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    // It brings the surroundings along.
    expect(request?.messages.at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: 'go on' }] });
  });
});
