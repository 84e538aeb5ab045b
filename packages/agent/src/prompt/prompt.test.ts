import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { contextSections } from './context-sections.ts';
import { historyMessages } from './conversation-history.ts';
import { systemPrompt } from './system-prompt.ts';

const NOW = Date.UTC(2026, 0, 2);

function sections(
  context: MessageInitShape<typeof agent.RequestContextSchema>,
  run: MessageInitShape<typeof agent.AgentRunRequestSchema> = {},
): Record<string, string> {
  const told = contextSections(
    create(agent.RequestContextSchema, context),
    create(agent.AgentRunRequestSchema, run),
    NOW,
  );
  return Object.fromEntries(told.filter(({ body }) => body).map(({ tag, body }) => [tag, body]));
}

const FULL: MessageInitShape<typeof agent.RequestContextSchema> = {
  env: { osVersion: 'linux', workspacePaths: ['/w'], timeZone: 'UTC' },
  gitRepos: [{ path: '/w', branchName: 'main', status: 'clean' }],
  projectLayouts: [
    {
      absPath: '/w',
      childrenWereProcessed: true,
      childrenDirs: [{ absPath: '/w/src', numFiles: 3 }],
      childrenFiles: [{ name: 'a.ts' }],
    },
  ],
  rules: [
    { fullPath: '/w/AGENTS.md', content: 'Be kind.' },
    {
      fullPath: '/w/.r/ts.mdc',
      content: 'Use tabs.',
      type: { type: { case: 'fileGlobbed', value: { globs: ['*.ts'] } } },
    },
    {
      fullPath: '/w/.r/db.mdc',
      content: 'x',
      type: { type: { case: 'agentFetched', value: { description: 'Databases' } } },
    },
    { fullPath: '/w/.r/m.mdc', content: 'hidden', type: { type: { case: 'manuallyAttached', value: {} } } },
  ],
  agentSkills: [
    { fullPath: '/s/SKILL.md', description: 'Deploying' },
    { fullPath: '/s/off.md', description: 'off', disableModelInvocation: true },
  ],
  skillOptions: {
    skillDescriptors: [{ name: 'p', description: 'Packing', readmeFilePath: '/p/SKILL.md', enabled: true }],
  },
  mcpInstructions: [{ serverName: 'tickets', instructions: 'Ask first.' }],
  mcpMetaToolOptions: { mcpDescriptors: [{ serverName: 'wiki', serverUseInstructions: 'Search by title.' }] },
  fileContents: { '/w/b.ts': 'b', '/w/a.ts': 'a' },
  conversationNotesListing: 'notes/x',
  precomputedHumanChanges: [
    { path: '/w/c.ts', renderedDiffs: [{ startLineNumber: 4, removedLines: ['old'], addedLines: ['new'] }] },
  ],
  commitAttributionMessage: 'Made-with: Tandem',
  hooksAdditionalContext: 'From a hook.',
};

describe('the context as a model reads it', () => {
  it('takes a switch for no text', () => {
    const { attribution } = sections({ ...FULL, commitAttributionMessage: 'enabled' }) as Record<
      string,
      string
    >;
    expect(attribution).toBeUndefined();
  });

  it('has all that the client tells', () => {
    expect(sections(FULL)).toMatchInlineSnapshot(`
      {
        "additional_context": "From a hook.",
        "attribution": "End commit messages with:
      Made-with: Tandem",
        "environment": "Operating system: linux
      Workspace folder: /w
      Date: 2026-01-02 (UTC)",
        "files": "/w/a.ts:
      a

      /w/b.ts:
      b",
        "git": "Repository: /w
      Branch: main
      Status at the start of this message: clean",
        "mcp_instructions": "From the server tickets:
      Ask first.

      From the server wiki:
      Search by title.",
        "notes": "Notes of this conversation:
      notes/x",
        "project_layout": "/w/
        src/ (3 files)
        a.ts",
        "rules": "From /w/AGENTS.md:
      Be kind.

      For files like *.ts (/w/.r/ts.mdc):
      Use tabs.

      To be read when it matters: /w/.r/db.mdc - Databases",
        "skills": "Instructions for special tasks. Read a file when its task comes up:
      - /s/SKILL.md: Deploying
      - /p/SKILL.md: Packing",
        "user_changes": "/w/c.ts (changed)
      @@ line 4
      -old
      +new",
      }
    `);
  });

  it('leaves the workspace out when the client says so', () => {
    expect(Object.keys(sections(FULL, { excludeWorkspaceContext: true }))).toEqual([
      'environment',
      'mcp_instructions',
      'attribution',
      'additional_context',
    ]);
  });

  it('is empty when there is nothing to tell', () => expect(sections({})).toEqual({}));

  it('is bounded', () => {
    const childrenFiles = Array.from({ length: 5000 }, (_, index) => ({ name: `${index}.ts` }));
    const told = sections({
      projectLayouts: [{ absPath: '/w', childrenWereProcessed: true, childrenFiles }],
      fileContents: { big: 'x'.repeat(1_000_000) },
    });
    expect(told.project_layout?.length).toBeLessThan(5_000);
    expect(told.project_layout).toContain('[4801 more lines]');
    expect(told.files?.length).toBeLessThan(21_000);
  });
});

describe('the system prompt', () => {
  const prompt = (run: MessageInitShape<typeof agent.AgentRunRequestSchema>, context = {}) =>
    systemPrompt(create(agent.AgentRunRequestSchema, run), create(agent.RequestContextSchema, context));
  const ours = prompt({});

  it.each<[string, Parameters<typeof prompt>, string | RegExp]>([
    ["is the client's own where it brings one", [{ customSystemPrompt: 'Mine.' }], /^Mine\.$/],
    [
      'is replaced where the request says so',
      [{ systemPromptSpec: { spec: { case: 'replace', value: 'New.' } } }],
      /^New\.$/,
    ],
    [
      'is added to where the request says so',
      [{ systemPromptSpec: { spec: { case: 'append', value: 'And.' } } }],
      `${ours}\n\nAnd.`,
    ],
    [
      'obeys the context before the request',
      [
        { systemPromptSpec: { spec: { case: 'replace', value: 'New.' } } },
        { systemPromptOverride: { spec: { case: 'replace', value: 'Newer.' } } },
      ],
      /^Newer\.$/,
    ],
  ])('%s', (_, args, expected) => expect(prompt(...args)).toMatch(expected));
});

describe('a conversation that was held elsewhere', () => {
  const messages = (...list: MessageInitShape<typeof agent.ConversationHistoryMessageSchema>[]) =>
    historyMessages(create(agent.ConversationHistorySchema, { messages: list }));
  const text = (value: string) => ({ content: { case: 'text' as const, value: { text: value } } });
  const user = (value: string) => ({ message: { case: 'user' as const, value: { content: [text(value)] } } });
  const asked = (...ids: string[]) => ({
    message: {
      case: 'assistant' as const,
      value: {
        content: ids.map((toolCallId) => ({
          content: {
            case: 'toolCall' as const,
            value: { toolCallId, toolName: 'look', argsJson: '{"a":1}' },
          },
        })),
      },
    },
  });
  const result = (toolCallId: string, value: string) => ({
    message: { case: 'tool' as const, value: { toolCallId, toolName: 'look', content: [text(value)] } },
  });

  it('has calls and results in pairs, whatever is missing', () => {
    expect(
      messages(user('hi'), asked('1', '2'), result('2', 'two'), user('and?'), result('9', 'nine')),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      {
        role: 'assistant',
        content: ['1', '2'].map((toolCallId) => ({
          type: 'tool-call',
          toolCallId,
          toolName: 'look',
          input: { a: 1 },
        })),
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: '2', toolName: 'look', output: { type: 'text', value: 'two' } },
          {
            type: 'tool-result',
            toolCallId: '1',
            toolName: 'look',
            output: { type: 'error-text', value: 'There is no result.' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'and?' }] },
      { role: 'user', content: [{ type: 'text', text: 'Result of look:\nnine' }] },
    ]);
  });

  it('takes arguments that are no JSON, and messages that are empty', () => {
    const odd = asked('1');
    for (const { content } of odd.message.value.content) content.value.argsJson = 'x';
    expect(
      messages(odd, { message: { case: 'assistant', value: {} } }, { message: { case: undefined } }),
    ).toMatchObject([{ content: [{ input: { arguments: 'x' } }] }, { role: 'tool' }]);
  });
});
