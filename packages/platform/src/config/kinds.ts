import { z } from 'zod';
import { parseByteSize } from './parse-byte-size.ts';
import { parseDuration } from './parse-duration.ts';

/** Options that all types of settings share. `default` is written as a user would write it. */
interface Common {
  /** Taken when the variable is not set. Without one, the variable has to be set. */
  default?: string;
}

/** A duration such as `30s` or `1h30m`, in milliseconds. Bounds are written the same way. */
export function duration(options: Common & { min?: string; max?: string } = {}): z.ZodType<number> {
  return measure('a duration such as 250ms, 30s or 1h30m', parseDuration, options);
}

/** A size such as `32MiB`, in bytes. Bounds are written the same way. */
export function byteSize(options: Common & { min?: string; max?: string } = {}): z.ZodType<number> {
  return measure('a size such as 512KiB or 32MiB', parseByteSize, options);
}

/** A whole number. */
export function integer(options: { default?: number; min?: number; max?: number } = {}): z.ZodType<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options;
  const read = (text: string) => (/^-?\d+$/.test(text) ? Number(text) : undefined);
  const inRange = (value: number) => value >= min && value <= max;
  return parsed(`a whole number from ${min} to ${max}`, read, inRange, options.default?.toString());
}

/** A number such as `0.25`. */
export function decimal(options: { default?: number; min: number; max: number }): z.ZodType<number> {
  const { min, max } = options;
  const read = (text: string) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined);
  return parsed(
    `a number from ${min} to ${max}`,
    read,
    (value) => value >= min && value <= max,
    options.default?.toString(),
  );
}

/** A TCP port; 0 stands for any free one. */
export function port(options: { default?: number } = {}): z.ZodType<number> {
  return integer({ ...options, min: 0, max: 65_535 });
}

const BOOLEANS: Record<string, boolean> = {
  true: true,
  yes: true,
  on: true,
  '1': true,
  false: false,
  no: false,
  off: false,
  '0': false,
};

/** A switch: true/false, yes/no, on/off or 1/0. */
export function bool(options: { default?: boolean } = {}): z.ZodType<boolean> {
  const read = (text: string) => BOOLEANS[text.toLowerCase()];
  return parsed('true or false', read, () => true, options.default?.toString());
}

/** A list, separated by commas; blanks around entries and empty entries do not count. */
export function list(options: Common & { min?: number } = {}): z.ZodType<readonly string[]> {
  const { min = 0 } = options;
  const read = (text: string) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean);
  const what = min > 0 ? `at least ${min}, separated by commas` : 'a list separated by commas';
  return parsed<readonly string[]>(what, read, (entries) => entries.length >= min, options.default);
}

/** A text. */
export function text(options: Common & { minLength?: number } = {}): z.ZodType<string> {
  const { minLength = 1 } = options;
  return parsed(
    `a text of ${minLength} or more characters`,
    (raw) => raw,
    (raw) => raw.length >= minLength,
    options.default,
  );
}

/** One of a few words. */
export function oneOf<const T extends string>(
  words: readonly T[],
  options: { default?: NoInfer<T> } = {},
): z.ZodType<T> {
  const read = (raw: string) => words.find((word) => word === raw);
  return parsed<T>(`one of ${words.join(', ')}`, read, () => true, options.default);
}

/** A URL with one of the given protocols, such as `https`. */
export function url(options: Common & { protocols: readonly string[] }): z.ZodType<string> {
  const { protocols } = options;
  const read = (raw: string) => {
    const protocol = URL.canParse(raw) ? new URL(raw).protocol.slice(0, -1) : undefined;
    return protocol !== undefined && protocols.includes(protocol) ? raw : undefined;
  };
  return parsed(
    `a URL that starts with ${protocols.map((name) => `${name}://`).join(' or ')}`,
    read,
    () => true,
    options.default,
  );
}

/** Makes a setting optional: undefined when the variable is not set. */
export function optional<T>(type: z.ZodType<T>): z.ZodType<T | undefined> {
  return type.optional();
}

function measure(
  what: string,
  parse: (text: string) => number | undefined,
  options: Common & { min?: string; max?: string },
): z.ZodType<number> {
  const bound = (raw: string | undefined, otherwise: number) => {
    if (raw === undefined) return otherwise;
    const value = parse(raw);
    if (value === undefined) throw new RangeError(`bound ${raw} is not ${what}`);
    return value;
  };
  const min = bound(options.min, 0);
  const max = bound(options.max, Number.MAX_SAFE_INTEGER);
  const limits = [options.min && `at least ${options.min}`, options.max && `at most ${options.max}`].filter(
    Boolean,
  );
  const expected = [what, ...limits].join(', ');
  return parsed(expected, parse, (value) => value >= min && value <= max, options.default);
}

/** A zod type of a text: read, checked, and told in the user's words when it does not fit. Never quotes the value. */
function parsed<T>(
  expected: string,
  read: (text: string) => T | undefined,
  check: (value: T) => boolean,
  otherwise: string | undefined,
): z.ZodType<T> {
  const type = z.string({ error: () => 'is not set' }).transform((raw, context) => {
    const value = read(raw.trim());
    if (value !== undefined && check(value)) return value;
    context.addIssue({ code: 'custom', message: `must be ${expected}` });
    return z.NEVER;
  });
  return (otherwise === undefined ? type : type.prefault(otherwise)) as unknown as z.ZodType<T>;
}
