import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { asSchema, isObject, mapSubschemas } from './json-schema.ts';

/** A schema that refers to itself grows with each step; past so many schemas there is no use in it. */
const MAX_SCHEMAS = 2_000;
const MAX_DEPTH = 40;

/**
 * Puts what references name in their places: not every provider follows them. A reference to what it stands in, or to what is
 * not there, allows everything.
 * @returns undefined when there is no end to it
 */
export function inlineRefs(root: JsonObject): JsonObject | undefined {
  let count = 0;
  const inline = (value: JsonValue, open: readonly string[], depth: number): JsonValue => {
    count += 1;
    if (count > MAX_SCHEMAS || depth > MAX_DEPTH) throw new TooLarge();
    if (!isObject(value)) return value;
    const { $ref, $defs: _, definitions: __, ...rest } = value;
    if (typeof $ref !== 'string') return mapSubschemas(rest, (one) => inline(one, open, depth + 1));
    const beside = mapSubschemas(rest, (one) => inline(one, open, depth + 1));
    if (open.includes($ref)) return beside;
    const found = inline(asSchema(resolve(root, $ref)), [...open, $ref], depth + 1);
    return { ...asSchema(found), ...beside };
  };
  try {
    return asSchema(inline(root, [], 0));
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

class TooLarge extends Error {}

function resolve(root: JsonObject, ref: string): JsonValue | undefined {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  let value: JsonValue | undefined = root;
  for (const step of ref.slice(2).split('/')) {
    const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (isObject(value)) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else if (Array.isArray(value)) value = value[Number(key)];
    else return undefined;
  }
  return value;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    // Not encoded, then.
    return step;
  }
}
