import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isObject, mapSubschemas, stringsOf } from './json-schema.ts';

/** Names of properties that every provider takes. */
const TAKEN = /^[A-Za-z0-9_.-]{1,64}$/;

/** A schema with names that providers take, and what stands for what. */
export interface Renamed {
  readonly schema: JsonObject;
  /** The original name of each changed one. */
  readonly originals: ReadonlyMap<string, string>;
}

/** Gives properties with odd names other ones, the same ones everywhere in the schema. */
export function renameProperties(root: JsonObject): Renamed {
  const names = new Set<string>();
  collect(root, names);
  const renamed = new Map<string, string>();
  for (const name of names) {
    if (TAKEN.test(name)) continue;
    const base = name.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 60) || '_';
    let safe = base;
    for (let count = 2; names.has(safe); count++) safe = `${base}_${count}`;
    names.add(safe);
    renamed.set(name, safe);
  }
  if (renamed.size === 0) return { schema: root, originals: new Map() };
  const originals = new Map([...renamed].map(([name, safe]) => [safe, name]));
  return { schema: rename(root, renamed) as JsonObject, originals };
}

/** Arguments as the tool knows them. */
export function restoreNames(value: JsonValue, originals: ReadonlyMap<string, string>): JsonValue {
  if (originals.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => restoreNames(item, originals));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [originals.get(name) ?? name, restoreNames(item, originals)]),
  );
}

function collect(schema: JsonValue, names: Set<string>): void {
  if (!isObject(schema)) return;
  if (isObject(schema.properties)) for (const name of Object.keys(schema.properties)) names.add(name);
  for (const name of stringsOf(schema.required)) names.add(name);
  mapSubschemas(schema, (one) => {
    collect(one, names);
    return one;
  });
}

function rename(schema: JsonValue, renamed: ReadonlyMap<string, string>): JsonValue {
  if (!isObject(schema)) return schema;
  const changed = mapSubschemas(schema, (one) => rename(one, renamed));
  const to = (name: string) => renamed.get(name) ?? name;
  if (isObject(changed.properties)) {
    changed.properties = Object.fromEntries(
      Object.entries(changed.properties).map(([name, value]) => {
        const described = renamed.has(name) && isObject(value) ? withName(value, name) : value;
        return [to(name), described];
      }),
    );
  }
  if (Array.isArray(changed.required)) changed.required = stringsOf(changed.required).map(to);
  return changed;
}

/** The model is told what a renamed property is called where it belongs. */
function withName(schema: JsonObject, name: string): JsonObject {
  const description = typeof schema.description === 'string' ? `${schema.description} ` : '';
  return { ...schema, description: `${description}(Called ${JSON.stringify(name)} by the tool.)` };
}
