import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { asSchema, isObject, listOf, stringsOf } from './json-schema.ts';

/** Keywords that providers refuse at the root. */
const REFUSED = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const', 'dependentSchemas'];

interface Folded {
  readonly properties: ReadonlyMap<string, readonly JsonObject[]>;
  readonly required: readonly string[];
  readonly closed: boolean;
}

/**
 * One plain object schema in place of a root that combines several: providers refuse every request with such a root. It has
 * the properties of all branches and requires what all of them require: it allows whatever the original does.
 * @returns undefined when the root is not about an object
 */
export function foldRoot(root: JsonObject): JsonObject | undefined {
  if (!allowsObject(root)) return undefined;
  const folded = fold(root, 0);
  if (!folded) return undefined;
  const properties: JsonObject = {};
  for (const [name, schemas] of folded.properties) properties[name] = either(schemas);
  const schema: JsonObject = { ...root, type: 'object', properties };
  for (const keyword of REFUSED) delete schema[keyword];
  delete schema.required;
  delete schema.additionalProperties;
  if (folded.required.length > 0) schema.required = [...folded.required];
  if (folded.closed) schema.additionalProperties = false;
  else if (isObject(root.additionalProperties)) schema.additionalProperties = root.additionalProperties;
  return schema;
}

function fold(schema: JsonObject, depth: number): Folded | undefined {
  if (depth > 8 || !allowsObject(schema)) return undefined;
  const properties = new Map<string, JsonObject[]>();
  const required = new Set(stringsOf(schema.required));
  let closed = schema.additionalProperties === false;
  const add = (folded: Folded) => {
    for (const [name, schemas] of folded.properties) {
      properties.set(name, [...(properties.get(name) ?? []), ...schemas]);
    }
  };
  const own = isObject(schema.properties) ? schema.properties : {};
  for (const [name, value] of Object.entries(own)) properties.set(name, [asSchema(value)]);
  for (const part of listOf(schema.allOf)) {
    const folded = fold(part, depth + 1);
    if (!folded) continue;
    add(folded);
    for (const name of folded.required) required.add(name);
  }
  for (const branches of [listOf(schema.anyOf), listOf(schema.oneOf), conditional(schema)]) {
    const folded = branches.flatMap((branch) => fold(branch, depth + 1) ?? []);
    if (branches.length > 0 && folded.length === 0) return undefined;
    for (const branch of folded) add(branch);
    const [first, ...rest] = folded;
    for (const name of first?.required ?? []) {
      if (rest.every((branch) => branch.required.includes(name))) required.add(name);
    }
    // A branch may allow what is not named.
    if (folded.some((branch) => branch.properties.size > 0 && !branch.closed)) closed = false;
  }
  return { properties, required: [...required], closed };
}

/** `if` applies to some; what follows from it is one way, `else` the other. */
function conditional({ then, else: otherwise }: JsonObject): JsonObject[] {
  if (then === undefined && otherwise === undefined) return [];
  return [asSchema(then), asSchema(otherwise)];
}

function allowsObject({ type }: JsonObject): boolean {
  if (type === undefined) return true;
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

/** What several places say of one property: one of it holds. */
function either(schemas: readonly JsonObject[]): JsonValue {
  const different = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const [first, ...rest] = [...different.values()].filter((schema) => Object.keys(schema).length > 0);
  if (!first) return {};
  return rest.length === 0 ? first : { anyOf: [first, ...rest] };
}
