import type { JsonObject } from '@bufbuild/protobuf';
import type { agent } from '@tandem/proto';
import { type ArgumentCheck, argumentCheck } from './check-arguments.ts';
import { foldRoot } from './fold-root.ts';
import { inlineRefs } from './inline-refs.ts';
import { isObject, type ObjectSchema } from './json-schema.ts';
import { renameProperties, restoreNames } from './property-names.ts';
import { readSchema } from './read-schema.ts';

/** Providers refuse requests with very large tools. */
const MAX_CHARS = 100_000;

/** How the arguments of a foreign tool are told to models, and brought back. */
export interface ToolSchema {
  readonly schema: ObjectSchema;
  readonly check: ArgumentCheck;
  /** Arguments as the tool wants them, from those that the model made. */
  restore(args: JsonObject): JsonObject;
}

/**
 * Makes a foreign tool's schema one that every provider takes.
 * @returns why that can't be done, as the end of a sentence
 */
export function toolSchema(definition: agent.McpToolDefinition): ToolSchema | string {
  const given = readSchema(definition);
  const read = isObject(given) ? given : { type: 'object', properties: {} };
  const whole = inlineRefs(read);
  if (!whole) return 'its schema refers to itself without end';
  const { $schema: _, $id: __, ...root } = whole;
  const folded = foldRoot(root);
  if (!folded) return 'its arguments are not an object';
  const { schema, originals } = renameProperties(folded);
  if (JSON.stringify(schema).length > MAX_CHARS) return 'its schema is too large';
  return {
    schema,
    check: argumentCheck(schema),
    restore: (args) => restoreNames(args, originals) as JsonObject,
  };
}
