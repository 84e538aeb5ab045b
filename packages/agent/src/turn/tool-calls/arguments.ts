/** Stands in the transcript for arguments that are no JSON object: providers refuse anything else there. */
const INVALID = 'invalid_arguments';

/** A call's arguments. No text at all stands for a call without arguments. */
export function parseArguments(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // What the model wrote is kept as it is, and told to be wrong.
  }
  return { [INVALID]: text };
}

/** Whether the model's arguments could be read. */
export function validArguments(input: unknown): boolean {
  const keys = typeof input === 'object' && input !== null ? Object.keys(input) : [];
  return !(keys.length === 1 && keys[0] === INVALID);
}
