import { type JsonValue, toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import type { agent } from '@tandem/proto';
import { isObject } from './json-schema.ts';

/** A whole number that a JavaScript number can't hold, as it was written. */
class Inexact {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/**
 * A tool's schema as its server gave it. The wire has numbers as doubles; here they are JSON numbers again. What says nothing
 * (no JSON, no schema) is undefined.
 */
export function readSchema({
  inputSchema,
  inputSchemaJson,
}: Pick<agent.McpToolDefinition, 'inputSchema' | 'inputSchemaJson'>): JsonValue | undefined {
  if (!inputSchemaJson) return inputSchema && toJson(ValueSchema, inputSchema);
  try {
    return exact(JSON.parse(inputSchemaJson, keepInexact)) as JsonValue | undefined;
  } catch {
    // A server's schema that is no JSON says nothing; its tool can still be called.
    return undefined;
  }
}

function keepInexact(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || !source || !/^-?\d+$/.test(source)) return value;
  return BigInt(source) === BigInt(value) ? value : new Inexact(source);
}

/** Leaves out numbers that can't be told exactly, rather than telling others; the description says what stood there. */
function exact(value: unknown): unknown {
  if (value instanceof Inexact) return undefined;
  if (Array.isArray(value)) return value.map(exact).filter((item) => item !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  const kept: Record<string, unknown> = {};
  const lost: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    const inexact = item instanceof Inexact ? [item] : Array.isArray(item) ? item.filter(isInexact) : [];
    if (inexact.length > 0) {
      lost.push(`${key}: ${inexact.map(({ source }) => source).join(', ')}`);
      continue;
    }
    kept[key] = exact(item);
  }
  if (lost.length > 0 && isObject(kept as JsonValue)) {
    const { description } = kept;
    kept.description = [typeof description === 'string' ? description : '', `(${lost.join('; ')})`]
      .filter(Boolean)
      .join(' ');
  }
  return kept;
}

function isInexact(value: unknown): value is Inexact {
  return value instanceof Inexact;
}
