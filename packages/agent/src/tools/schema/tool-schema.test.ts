import { create, fromJson, type JsonObject, type JsonValue } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import { agent } from '@tandem/proto';
import { describe, expect, it } from 'vitest';
import { type ToolSchema, toolSchema } from './tool-schema.ts';

function made(schema: JsonValue): ToolSchema {
  const inputSchema = fromJson(ValueSchema, schema);
  const result = toolSchema(create(agent.McpToolDefinitionSchema, { inputSchema }));
  if (typeof result === 'string') throw new Error(result);
  return result;
}

const folded = (schema: JsonValue): JsonObject => made(schema).schema;
const STRING = { type: 'string' };
const NUMBER = { type: 'number' };

describe('T5: a root that providers refuse', () => {
  it('(a) branches that only require something require nothing that not all of them do', () => {
    const properties = { route: STRING, file: STRING };
    const anyOf = [{ required: ['route'] }, { required: ['file'] }];
    expect(folded({ type: 'object', properties, anyOf })).toEqual({ type: 'object', properties });
  });

  it('(b) branches with properties become one object with all of them', () => {
    const schema = folded({
      type: 'object',
      anyOf: [
        { type: 'object', properties: { content: STRING, id: STRING }, required: ['content', 'id'] },
        { type: 'object', properties: { source_url: STRING, id: NUMBER }, required: ['source_url', 'id'] },
      ],
    });
    expect(schema).toEqual({
      type: 'object',
      properties: { content: STRING, id: { anyOf: [STRING, NUMBER] }, source_url: STRING },
      required: ['id'],
    });
  });

  it.each(['oneOf', 'allOf'])('folds %s', (keyword) => {
    const schema = folded({
      [keyword]: [
        { properties: { a: STRING }, required: ['a'] },
        { properties: { b: STRING }, required: ['b'] },
      ],
    });
    expect(schema).toEqual({
      type: 'object',
      properties: { a: STRING, b: STRING },
      ...(keyword === 'allOf' ? { required: ['a', 'b'] } : {}),
    });
  });

  it('leaves nested ones alone', () => {
    const properties = { x: { anyOf: [STRING, NUMBER] } };
    expect(folded({ type: 'object', properties })).toEqual({ type: 'object', properties });
  });

  it('takes out what else is refused at the root', () => {
    const root = {
      type: ['object', 'null'],
      properties: { a: STRING },
      not: { required: ['b'] },
      enum: [{ a: 'x' }],
    };
    expect(folded(root)).toEqual({ type: 'object', properties: { a: STRING } });
    const conditional: JsonValue = JSON.parse(
      '{"properties":{"a":{"type":"string"}},"if":{},"then":{"properties":{"b":{"type":"string"}}},"else":{}}',
    );
    expect(folded(conditional)).toEqual({ type: 'object', properties: { a: STRING, b: STRING } });
  });

  it('keeps an object closed only when all its branches are', () => {
    const closed = { additionalProperties: false };
    const base = { type: 'object', properties: { a: STRING }, ...closed };
    expect(folded(base)).toMatchObject(closed);
    const open = { ...base, anyOf: [{ properties: { b: STRING } }] };
    expect(folded(open)).not.toHaveProperty('additionalProperties');
  });

  it('(c) puts what references name in their places, at the root too', () => {
    const schema = folded({
      $ref: '#/$defs/in',
      $defs: {
        in: { type: 'object', properties: { p: { $ref: '#/$defs/p%20q', description: 'first' } } },
        'p q': { type: 'object', properties: { 'x/y': STRING }, description: 'second' },
      },
    });
    expect(schema).toEqual({
      type: 'object',
      properties: {
        p: {
          type: 'object',
          description: 'first',
          properties: { x_y: { ...STRING, description: '(Called "x/y" by the tool.)' } },
        },
      },
    });
  });

  it('ends references to themselves and to nowhere', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' }, other: { $ref: 'https://x/y' } } };
    expect(folded(tree)).toEqual({
      type: 'object',
      properties: { child: { type: 'object', properties: { child: {}, other: {} } }, other: {} },
    });
  });

  it('(d) gives odd names other ones, and brings arguments back', () => {
    const { schema, restore, check } = made({
      type: 'object',
      properties: {
        'a b/c': { type: 'string', description: 'It.' },
        a_b_c: NUMBER,
        ü: { items: { properties: { 'x y': STRING } } },
      },
      required: ['a b/c'],
    });
    expect(schema).toMatchObject({
      properties: {
        a_b_c_2: { type: 'string', description: 'It. (Called "a b/c" by the tool.)' },
        a_b_c: NUMBER,
        _: { items: { properties: { x_y: {} } } },
      },
      required: ['a_b_c_2'],
    });
    const args = { a_b_c_2: 's', a_b_c: 1, _: [{ x_y: 'v' }] };
    expect(check(args)).toBeUndefined();
    expect(restore(args)).toEqual({ 'a b/c': 's', a_b_c: 1, ü: [{ 'x y': 'v' }] });
  });

  it.each([
    ['its arguments are not an object', { type: 'string' }],
    ['its arguments are not an object', { type: 'object', anyOf: [STRING, NUMBER] }],
    ['its schema is too large', { type: 'object', description: 'x'.repeat(200_000) }],
  ])('says that %s', (fault, schema) => {
    const inputSchema = fromJson(ValueSchema, schema);
    expect(toolSchema(create(agent.McpToolDefinitionSchema, { inputSchema }))).toBe(fault);
  });

  it('gives up on references that multiply', () => {
    const $defs: JsonObject = { d0: STRING };
    for (let index = 1; index < 20; index++) {
      const below = { $ref: `#/$defs/d${index - 1}` };
      $defs[`d${index}`] = { type: 'object', properties: { a: below, b: below } };
    }
    const inputSchema = fromJson(ValueSchema, {
      type: 'object',
      properties: { x: { $ref: '#/$defs/d19' } },
      $defs,
    });
    const result = toolSchema(create(agent.McpToolDefinitionSchema, { inputSchema }));
    expect(result).toBe('its schema refers to itself without end');
  });
});

describe('T1: numbers', () => {
  it('beyond what a number can hold are not told wrongly', () => {
    const inputSchemaJson =
      '{"type":"object","properties":{"id":{"type":"integer","maximum":9007199254740993,"minimum":1,"enum":[1,9007199254740993]},"e":{"maximum":1e300}}}';
    const result = toolSchema(create(agent.McpToolDefinitionSchema, { inputSchemaJson }));
    expect(typeof result === 'object' && JSON.stringify(result.schema)).toBe(
      '{"type":"object","properties":{"id":{"type":"integer","minimum":1,"description":"(maximum: 9007199254740993; enum: 9007199254740993)"},"e":{"maximum":1e+300}}}',
    );
  });
});

describe('the check of arguments', () => {
  const { check } = made({
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 2, pattern: '^(a+)+$' },
      mode: { enum: ['x', 'y'] },
      nested: {
        type: 'array',
        items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      },
      either: { oneOf: [STRING, { type: 'null' }] },
    },
    required: ['name'],
    additionalProperties: false,
  });

  it.each([
    [{ name: 'ok', mode: 'x', nested: [{ n: 1 }], either: null }, undefined],
    [{ name: `${'a'.repeat(50)}!` }, undefined],
    [{}, 'name'],
    [{ name: 1 }, 'name'],
    [{ name: 'x' }, 'name'],
    [{ name: 'ok', mode: 'z' }, 'mode'],
    [{ name: 'ok', nested: [{ n: 'x' }] }, 'nested[0].n'],
    [{ name: 'ok', either: 1 }, 'either'],
    [{ name: 'ok', more: 1 }, 'more'],
  ] as [JsonObject, string | undefined][])('%j: %s', (args, place) => {
    const fault = check(args);
    if (place === undefined) expect(fault).toBeUndefined();
    else expect(fault).toContain(place);
  });

  it('leaves alone what it does not understand', () => {
    const odd = made({
      type: 'object',
      properties: { a: { not: STRING, const: { x: 1 } }, b: { type: 'strange' } },
    });
    expect(odd.check({ a: { x: 1 }, b: 2 })).toBeUndefined();
  });
});
