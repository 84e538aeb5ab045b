import { create, fromJson, type JsonValue, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { callTool, execAnswer } from '../testing/call-tool.ts';
import { mcpTool } from './mcp.ts';
import { toolSchema } from './schema/tool-schema.ts';
import { todoTool } from './todo.ts';
import type { Tool } from './tool.ts';

type McpOutcome = MessageInitShape<typeof agent.McpResultSchema>['result'];

function definition(name: string, schema?: JsonValue): agent.McpToolDefinition {
  return create(agent.McpToolDefinitionSchema, {
    name,
    toolName: name,
    providerIdentifier: 'server',
    description: 'does it',
    inputSchema: schema === undefined ? undefined : fromJson(ValueSchema, schema),
  });
}

function tool(from: agent.McpToolDefinition): Tool {
  const schema = toolSchema(from);
  if (typeof schema === 'string') throw new Error(schema);
  return mcpTool(from.name, from, schema);
}

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

describe('an MCP tool', () => {
  it('is called with its arguments as values', () => {
    const { asked } = callTool(tool(definition('it')), { n: 1, list: [true, null, { a: 'b' }] }, []);
    const exec =
      asked[0]?.type === 'exec' && asked[0].exec.case === 'mcpArgs' ? asked[0].exec.value : undefined;
    expect(exec).toMatchObject({ toolName: 'it', providerIdentifier: 'server', toolCallId: 'c1' });
    const args = create(agent.McpArgsSchema, exec).args;
    expect(args.list && toJson(ValueSchema, args.list)).toEqual([true, null, { a: 'b' }]);
  });

  it.each<[McpOutcome, unknown]>([
    [
      {
        case: 'success',
        value: { content: [{ content: { case: 'text', value: { text: 'ok' } } }] },
      },
      { type: 'text', value: 'ok' },
    ],
    [
      { case: 'success', value: {} },
      { type: 'text', value: 'Done, without a result.' },
    ],
    [
      {
        case: 'success',
        value: { isError: true, content: [{ content: { case: 'text', value: { text: 'bad' } } }] },
      },
      { type: 'error-text', value: 'bad' },
    ],
    [
      {
        case: 'success',
        value: {
          content: [{ content: { case: 'image', value: { data: PNG, mimeType: 'image/png' } } }],
        },
      },
      { type: 'content', value: [{ type: 'media', data: 'iVBORw==', mediaType: 'image/png' }] },
    ],
    [
      {
        case: 'success',
        value: {
          content: [{ content: { case: 'image', value: { data: new Uint8Array(3), mimeType: 'x/y' } } }],
        },
      },
      { type: 'text', value: '[Data of type x/y, 3 bytes, is not shown.]' },
    ],
    [
      { case: 'permissionDenied', value: { error: 'no' } },
      { type: 'error-text', value: 'The user did not allow it. no' },
    ],
    [
      { case: 'error', value: { error: 'boom' } },
      { type: 'error-text', value: 'boom' },
    ],
    [
      { case: 'rejected', value: { reason: 'no' } },
      { type: 'error-text', value: 'The user did not allow it. no' },
    ],
    [
      { case: 'toolNotFound', value: {} },
      { type: 'error-text', value: 'The server has no tool it.' },
    ],
    [
      { case: 'serverNotFound', value: {} },
      { type: 'error-text', value: 'The server server is not there.' },
    ],
    [{ case: undefined }, { type: 'error-text', value: 'The client gave an answer that is not understood.' }],
  ])('%#', (result, output) => {
    expect(
      callTool(tool(definition('it')), {}, [execAnswer({ case: 'mcpResult', value: { result } })]).output,
    ).toEqual(output);
  });
});

it('is not called with arguments that its schema refuses', () => {
  const odd = tool(definition('it', { properties: { 'a b': { type: 'string' } }, required: ['a b'] }));
  expect(() => callTool(odd, {}, [])).toThrow('a_b');
  const [ask] = callTool(odd, { a_b: 'x' }, []).asked;
  const exec = ask?.type === 'exec' && ask.exec.case === 'mcpArgs' ? ask.exec.value : undefined;
  expect(Object.keys(create(agent.McpArgsSchema, exec).args)).toEqual(['a b']);
});

describe('T1: a schema whose numbers came as doubles', () => {
  it('is written with plain numbers at any depth', () => {
    const schema: JsonValue = {
      type: 'object',
      properties: {
        xs: {
          type: 'array',
          minItems: 1,
          items: {
            anyOf: [
              { type: 'string', minLength: 1 },
              { type: 'number', multipleOf: 0.5 },
            ],
          },
        },
        big: { default: 1e300, enum: [1, 2], const: 3 },
      },
    };
    const raw = JSON.stringify(tool(definition('t', schema)).definition.inputSchema);
    expect(raw).toBe(JSON.stringify(schema));
    expect(raw).not.toContain('1.0');
  });

  it('stands in for a schema that is none', () => {
    const none = { type: 'object', properties: {} };
    expect(tool(definition('t')).definition.inputSchema).toEqual(none);
    expect(tool(definition('t', 'x')).definition.inputSchema).toEqual(none);
  });
});

it('update_todos merges into what earlier calls made', () => {
  const earlier = [
    {
      todos: [
        { id: '1', content: 'a', status: 'pending' },
        { id: '2', content: 'b', status: 'pending' },
      ],
    },
    { todos: 'nonsense' },
  ];
  const input = { todos: [{ id: '1', content: 'a', status: 'completed' }], merge: true };
  const { output, shown, asked } = callTool(todoTool, input, [], { earlierCalls: () => earlier });
  expect(asked).toEqual([]);
  expect(output?.value).toBe('- [completed] 1: a\n- [pending] 2: b');
  expect(shown).toMatchObject({
    case: 'updateTodosToolCall',
    value: { result: { result: { case: 'success', value: { totalCount: 2, wasMerge: true } } } },
  });
  expect(callTool(todoTool, { todos: [] }, [], { earlierCalls: () => earlier }).output?.value).toBe(
    'The list is empty.',
  );
});
