import { describeError } from './describe-error.ts';
import { REDACTED, redactText } from './redact-text.ts';
import { isSensitiveKey } from './sensitive-key.ts';

const MAX_DEPTH = 8;
const MAX_ENTRIES = 64;

/**
 * A copy of a value that may be logged: secrets and contents taken out by key and by shape, bytes as their length,
 * errors with their causes, and all of it bounded in depth and size. Never throws.
 */
export function redactValue(value: unknown, secrets: readonly string[] = []): unknown {
  return copy(value, { secrets, above: [] });
}

interface Walk {
  readonly secrets: readonly string[];
  /** The objects that the value is in, outermost first. */
  readonly above: readonly object[];
}

function copy(value: unknown, walk: Walk): unknown {
  switch (typeof value) {
    case 'string':
      return redactText(value, walk.secrets);
    case 'bigint':
      return redactText(String(value), walk.secrets);
    case 'object':
      return value === null ? null : copyObject(value, walk);
    case 'number':
    case 'boolean':
      return value;
    default:
      return undefined;
  }
}

function copyObject(value: object, walk: Walk): unknown {
  if (walk.above.includes(value)) return '[circular]';
  if (walk.above.length >= MAX_DEPTH) return '[too deep]';
  const inner = { ...walk, above: [...walk.above, value] };
  try {
    if (value instanceof Error) return describeError(value, (part) => copy(part, inner));
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
    if (value instanceof URL) return redactText(value.href, walk.secrets);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof Map) return copyEntries([...value], inner);
    if (value instanceof Set) return copyList([...value], inner);
    if (Array.isArray(value)) return copyList(value, inner);
    return copyEntries(Object.entries(value), inner);
  } catch {
    return '[unreadable]';
  }
}

function copyList(values: readonly unknown[], walk: Walk): unknown[] {
  const copies = values.slice(0, MAX_ENTRIES).map((value) => copy(value, walk));
  return values.length > MAX_ENTRIES ? [...copies, `… ${values.length - MAX_ENTRIES} more`] : copies;
}

function copyEntries(entries: readonly (readonly [unknown, unknown])[], walk: Walk): Record<string, unknown> {
  const copies: [string, unknown][] = [];
  for (const [rawKey, value] of entries.slice(0, MAX_ENTRIES)) {
    const key = redactText(String(rawKey), walk.secrets);
    copies.push([key, isSensitiveKey(key) ? hide(value) : copy(value, walk)]);
  }
  if (entries.length > MAX_ENTRIES) copies.push(['…', `${entries.length - MAX_ENTRIES} more`]);
  return Object.fromEntries(copies);
}

/** Counts and switches say nothing of a content ("tokens: 12"), and an absent value is worth knowing. */
function hide(value: unknown): unknown {
  return value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : REDACTED;
}
