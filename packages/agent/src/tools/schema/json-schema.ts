import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** A schema of an object, as providers want a tool's arguments to be. */
export type ObjectSchema = JsonObject;

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A schema; `true` and whatever is no schema allow everything. */
export function asSchema(value: JsonValue | undefined): JsonObject {
  if (value === false) return { not: {} };
  return isObject(value) ? value : {};
}

/** The schemas that a keyword holds as a list. */
export function listOf(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(asSchema) : [];
}

export function stringsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

const MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const SINGLE = [
  'items',
  'additionalProperties',
  'additionalItems',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
];

/** Changes the schemas right below a schema; values that are data (enum, const, default, examples) are left alone. */
export function mapSubschemas(schema: JsonObject, change: (schema: JsonValue) => JsonValue): JsonObject {
  const mapped: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (MAPS.includes(key) && isObject(value)) {
      mapped[key] = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, change(one)]));
    } else if ((LISTS.includes(key) || key === 'items') && Array.isArray(value)) {
      mapped[key] = value.map(change);
    } else if (SINGLE.includes(key)) {
      mapped[key] = change(value);
    } else {
      mapped[key] = value;
    }
  }
  return mapped;
}
