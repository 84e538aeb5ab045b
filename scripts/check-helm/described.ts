import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';

/** A JSON schema. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** One value of the chart. */
export interface Value {
  /** With dots: `nats.storage.size`. */
  readonly path: string;
  readonly default: unknown;
  readonly description: string;
}

/**
 * Reads values.yaml: each comment that begins with `--` describes the value below it, whole; other maps are groups.
 * @throws Error when a value has no description
 */
export function readValues(yaml: string): Value[] {
  const document = parseDocument(yaml);
  if (!isMap(document.contents)) throw new Error('values.yaml holds no map');
  const values: Value[] = [];
  collect(document.contents, [], values);
  return values;
}

function collect(map: YAMLMap, path: readonly string[], values: Value[]): void {
  for (const [index, pair] of map.items.entries()) {
    if (!isScalar(pair.key)) throw new Error(`${path.join('.')}: a key that is no text`);
    const here = [...path, String(pair.key.value)];
    // The comment above a map's first entry belongs to the map, in the parser's eyes.
    const comment = pair.key.commentBefore ?? (index === 0 ? map.commentBefore : undefined) ?? '';
    const description = /(?:^|\n) -- (.*)$/s.exec(comment)?.[1]?.replaceAll(/\n\s*/g, ' ').trim();
    if (description !== undefined) {
      const value = pair.value as { toJSON?: () => unknown } | null;
      values.push({ path: here.join('.'), default: value?.toJSON?.() ?? null, description });
    } else if (isMap(pair.value) && pair.value.items.length > 0) {
      collect(pair.value, here, values);
    } else {
      throw new Error(`values.yaml: ${here.join('.')} has no description`);
    }
  }
}

/**
 * A schema with these values' descriptions and defaults in place of its own.
 * @throws Error when a described value has no schema, or a schema's value no description
 */
export function describe(schema: Schema, values: readonly Value[]): Schema {
  const described = new Map(values.map((value) => [value.path, value]));
  const result = descend(schema, [], described);
  const [left] = described.keys();
  if (left !== undefined) throw new Error(`values.yaml: ${left} is not in the schema`);
  return result;
}

function descend(schema: Schema, path: readonly string[], described: Map<string, Value>): Schema {
  const here = path.join('.');
  const value = described.get(here);
  if (value) {
    described.delete(here);
    const { description: _, default: __, ...rest } = schema;
    return { description: value.description, default: value.default, ...rest };
  }
  const properties = schema.properties as Record<string, Schema> | undefined;
  if (!properties) {
    if (here === 'global') return schema;
    throw new Error(`the schema's ${here} is not in values.yaml`);
  }
  const inner = Object.entries(properties).map(([name, property]) => [
    name,
    descend(property, [...path, name], described),
  ]);
  return { ...schema, properties: Object.fromEntries(inner) };
}
