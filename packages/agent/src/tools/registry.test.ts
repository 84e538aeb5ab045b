import { create } from '@bufbuild/protobuf';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { offeredTools, toolWarnings } from './registry.ts';

const WRITING = ['write_file', 'edit_file', 'delete_file', 'run_command', 'write_to_command'];

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
    };
    const offered = [...offeredTools(choice).keys()];
    expect(offered).not.toContain('bad');
    expect(offered).toContain('good');
    expect(toolWarnings(choice)).toEqual([
      "The tool bad of server can't be used: its arguments are not an object.",
    ]);
    expect(toolWarnings({ ...choice, excluded: 'mcp_tool_call' })).toEqual([]);
  });
});
