import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import type { Offers } from './offers.ts';
import { offeredTools, toolWarnings } from './registry.ts';

const WRITING = ['write_file', 'edit_file', 'delete_file', 'run_command', 'write_to_command'];

const NOTHING: Offers = {
  patches: false,
  user: false,
  lints: false,
  mcpResources: false,
  webFetch: false,
  webSearch: false,
  task: undefined,
};

function definition(name: string): agent.McpToolDefinition {
  return create(agent.McpToolDefinitionSchema, { name, toolName: name, providerIdentifier: 'server' });
}

describe('the tools of a turn', () => {
  const names = (more: Partial<Parameters<typeof offeredTools>[0]>) => [
    ...offeredTools({
      mcpTools: [],
      allowed: undefined,
      excluded: undefined,
      readOnly: false,
      offers: NOTHING,
      ...more,
    }).keys(),
  ];

  it('obey what the client allows and excludes', () => {
    expect(names({ allowed: 'read_tool_call, grep_tool_call' })).toEqual(['read_file', 'search_files']);
    expect(names({ allowed: '' })).toEqual([]);
    expect(names({ excluded: 'shell_tool_call,edit_tool_call' })).not.toContain('run_command');
    expect(names({ excluded: 'edit_tool_call' })).not.toContain('write_file');
  });

  it('are without those that change something where only reading is allowed', () => {
    const readOnly = names({ readOnly: true, mcpTools: [definition('x')] });
    expect(readOnly).toEqual(expect.arrayContaining(['read_file', 'search_files', 'await_command']));
    for (const writing of WRITING) expect(readOnly).not.toContain(writing);
    expect(readOnly).not.toContain('x');
  });

  it('take no number that the wire can not hold', () => {
    const everything: Offers = {
      patches: true,
      user: true,
      lints: true,
      mcpResources: true,
      webFetch: true,
      webSearch: true,
      task: { subagents: [], models: [] },
    };
    const tools = offeredTools({
      mcpTools: [],
      allowed: undefined,
      excluded: undefined,
      readOnly: false,
      offers: everything,
    });
    const numbers = [...tools.values()].flatMap(({ definition: { name, inputSchema } }) =>
      numbersIn(inputSchema, name),
    );
    expect(numbers.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['read_file.properties.offset', 'run_command.properties.timeout_ms']),
    );
    expect(numbers.filter(({ maximum }) => !(maximum <= 0x7fffffff))).toEqual([]);
  });

  it('have names that providers take, and each its own', () => {
    const long = 'x'.repeat(80);
    const mcpTools = ['a b/ü', 'read_file', long, 'a b/ü', 'a b/ü'].map((name) => definition(name));
    expect(names({ mcpTools }).slice(-5)).toEqual([
      'a_b__',
      'server-read_file',
      'x'.repeat(64),
      'server-a_b__',
      'server-a_b___2',
    ]);
  });

  it('T5: are without one whose arguments no provider takes, which the user is told', () => {
    const bad = create(agent.McpToolDefinitionSchema, {
      name: 'bad',
      toolName: 'bad',
      providerIdentifier: 'server',
      inputSchemaJson: '{"type":"string"}',
    });
    const choice = {
      mcpTools: [bad, definition('good')],
      allowed: undefined,
      excluded: undefined,
      readOnly: false,
      offers: NOTHING,
    };
    const offered = [...offeredTools(choice).keys()];
    expect(offered).not.toContain('bad');
    expect(offered).toContain('good');
    expect(toolWarnings(choice)).toEqual([
      "The tool bad of server can't be used: its arguments are not an object.",
    ]);
    expect(toolWarnings({ ...choice, excluded: 'mcp_tool_call' })).toEqual([]);
  });

  it.each<[keyof Offers, Offers[keyof Offers], string[]]>([
    ['patches', true, ['apply_patch']],
    ['user', true, ['ask_question', 'create_plan', 'switch_mode']],
    ['lints', true, ['read_lints']],
    ['mcpResources', true, ['list_mcp_resources', 'read_mcp_resource']],
    ['webFetch', true, ['web_fetch']],
    ['webSearch', true, ['web_search']],
    ['task', { subagents: [], models: [] }, ['task', 'await_task']],
  ])('with %s are %s', (name, value, more) => {
    const before = new Set(names({}));
    const added = names({ offers: { ...NOTHING, [name]: value } }).filter((tool) => !before.has(tool));
    expect(added).toEqual(more);
  });

  it('are described by schemas that every provider takes', () => {
    const offers: Offers = {
      patches: false,
      user: true,
      lints: true,
      mcpResources: true,
      webFetch: true,
      webSearch: true,
      task: { subagents: [], models: ['m'] },
    };
    const choice = { mcpTools: [], allowed: undefined, excluded: undefined, readOnly: false, offers };
    for (const { definition } of offeredTools(choice).values()) {
      expect(definition.name).toMatch(/^[a-z_]+$/);
      expect(definition.description).toMatch(/^[A-Z]/);
      expect(definition.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(Object.keys(definition.inputSchema)).not.toContain('anyOf');
    }
  });
});

/** Every number that a schema speaks of, with its upper bound. */
function numbersIn(schema: unknown, path: string): { path: string; maximum: number }[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, maximum } = schema as { type?: unknown; maximum?: number };
  const own =
    type === 'integer' || type === 'number' ? [{ path, maximum: maximum ?? Number.POSITIVE_INFINITY }] : [];
  return [...own, ...Object.entries(schema).flatMap(([key, part]) => numbersIn(part, `${path}.${key}`))];
}
