import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { z } from 'zod';
import { asSchema, isObject, listOf, stringsOf } from './json-schema.ts';

/** What is checked: keywords about which all tools agree. A pattern could take forever to match. */
const COPIED = [
  'type',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
];

/** Finds faults in arguments; returns what is wrong, or undefined. */
export type ArgumentCheck = (args: JsonObject) => string | undefined;

/** A check by a foreign schema. What can't be checked is left to the tool itself. */
export function argumentCheck(schema: JsonObject): ArgumentCheck {
  let known: z.ZodType | undefined;
  return (args) => {
    known ??= checkable(schema);
    const checked = known.safeParse(args);
    return checked.success ? undefined : z.prettifyError(checked.error);
  };
}

function checkable(schema: JsonObject): z.ZodType {
  try {
    return z.fromJSONSchema(reduce(schema, 0) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    // The tool's own server will say what it thinks of its arguments.
    return z.unknown();
  }
}

function reduce(value: JsonValue, depth: number): JsonObject {
  const schema = asSchema(value);
  if (depth > 30) return {};
  const below = (one: JsonValue) => reduce(one, depth + 1);
  const reduced: JsonObject = {};
  for (const keyword of COPIED) if (schema[keyword] !== undefined) reduced[keyword] = schema[keyword];
  const branches = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (schema.anyOf === undefined || schema.oneOf === undefined) {
    if (branches.length > 0) reduced.anyOf = branches.map(below);
  }
  const all = listOf(schema.allOf);
  if (all.length > 0) reduced.allOf = all.map(below);
  if (Array.isArray(schema.enum) && schema.enum.every(isPlain)) reduced.enum = schema.enum;
  if (schema.const !== undefined && isPlain(schema.const)) reduced.const = schema.const;
  if (isObject(schema.properties)) {
    reduced.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, one]) => [name, below(one)]),
    );
    reduced.type ??= 'object';
  }
  if (Array.isArray(schema.required)) reduced.required = stringsOf(schema.required);
  if (isObject(schema.items)) reduced.items = below(schema.items);
  const named = branches.length === 0 && all.length === 0 && schema.patternProperties === undefined;
  if (schema.additionalProperties === false && named) reduced.additionalProperties = false;
  return reduced;
}

function isPlain(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}
