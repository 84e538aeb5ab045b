import { z } from 'zod';
import { parseByteSize, parseDuration } from './parse-measure.ts';

/** Options that all types of settings share. `default` is written as a user would write it. */
interface Common {
  /** Taken when the variable is not set. Without one, the variable has to be set. */
  default?: string;
}

/** A duration such as `30s` or `1h30m`, in milliseconds. Bounds are written the same way. */
export function duration(options: Common & { min?: string; max?: string } = {}): z.ZodType<number> {
  return measure('duration', 'a duration such as 250ms, 30s or 1h30m', parseDuration, options);
}

/** A size such as `32MiB`, in bytes. Bounds are written the same way. */
export function byteSize(options: Common & { min?: string; max?: string } = {}): z.ZodType<number> {
  return measure('size', 'a size such as 512KiB or 32MiB', parseByteSize, options);
}

/** A whole number. */
export function integer(options: { default?: number; min?: number; max?: number } = {}): z.ZodType<number> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = options;
  return parsed({
    takes: ['whole number', ...range(options.min, options.max)].join(', '),
    expected: `a whole number from ${min} to ${max}`,
    read: (text) => (/^-?\d+$/.test(text) ? Number(text) : undefined),
    fits: (value) => value >= min && value <= max,
    default: options.default?.toString(),
  });
}

/** A number such as `0.25`. */
export function decimal(options: { default?: number; min: number; max: number }): z.ZodType<number> {
  const { min, max } = options;
  return parsed({
    takes: ['number', ...range(min, max)].join(', '),
    expected: `a number from ${min} to ${max}`,
    read: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined),
    fits: (value) => value >= min && value <= max,
    default: options.default?.toString(),
  });
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
  return parsed({
    takes: '`true` or `false`',
    expected: 'true or false',
    read: (text) => BOOLEANS[text.toLowerCase()],
    default: options.default?.toString(),
  });
}

/** A list, separated by commas; blanks around entries and empty entries do not count. */
export function list(options: Common & { min?: number } = {}): z.ZodType<readonly string[]> {
  const { min = 0 } = options;
  return parsed<readonly string[]>({
    takes: 'list separated by commas',
    expected: min > 0 ? `at least ${min}, separated by commas` : 'a list separated by commas',
    read: (text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter(Boolean),
    fits: (entries) => entries.length >= min,
    default: options.default,
  });
}

/** A text. */
export function text(options: Common & { minLength?: number } = {}): z.ZodType<string> {
  const { minLength = 1 } = options;
  return parsed({
    takes: minLength > 1 ? `text, ${minLength} characters or more` : 'text',
    expected: `a text of ${minLength} or more characters`,
    read: (raw) => raw,
    fits: (raw) => raw.length >= minLength,
    default: options.default,
  });
}

/** One of a few words. */
export function oneOf<const T extends string>(
  words: readonly T[],
  options: { default?: NoInfer<T> } = {},
): z.ZodType<T> {
  return parsed<T>({
    takes: words.map((word) => `\`${word}\``).join(', '),
    expected: `one of ${words.join(', ')}`,
    read: (raw) => words.find((word) => word === raw),
    default: options.default,
  });
}

/** A URL with one of the given protocols, such as `https`. */
export function url(options: Common & { protocols: readonly string[] }): z.ZodType<string> {
  const { protocols } = options;
  const starts = protocols.map((name) => `${name}://`).join(' or ');
  return parsed({
    takes: `URL, ${starts}`,
    expected: `a URL that starts with ${starts}`,
    read: (raw) => {
      const protocol = URL.canParse(raw) ? new URL(raw).protocol.slice(0, -1) : undefined;
      return protocol !== undefined && protocols.includes(protocol) ? raw : undefined;
    },
    default: options.default,
  });
}

/** Makes a setting optional: undefined when the variable is not set. */
export function optional<T>(type: z.ZodType<T>): z.ZodType<T | undefined> {
  return type.optional().meta({ ...type.meta() });
}

function measure(
  takes: string,
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
  return parsed({
    takes: [takes, ...range(options.min, options.max)].join(', '),
    expected: [what, ...limits].join(', '),
    read: parse,
    fits: (value) => value >= min && value <= max,
    default: options.default,
  });
}

/** Bounds in words, as a list of one; empty where there are none. */
function range(min: string | number | undefined, max: string | number | undefined): string[] {
  if (min !== undefined && max !== undefined) return [`${min} to ${max}`];
  if (min !== undefined) return [`at least ${min}`];
  return max === undefined ? [] : [`at most ${max}`];
}

interface Parsed<T> {
  /** What may be written, in the words of the tables of settings. */
  takes: string;
  /** The same, as a fault says it. */
  expected: string;
  read: (text: string) => T | undefined;
  fits?: (value: T) => boolean;
  default: string | undefined;
}

/**
 * A zod type of a text: read, checked, and told in the user's words when it does not fit. Never quotes the value. What it takes,
 * and what is taken when nothing is set, are its metadata `takes` and `default`.
 */
function parsed<T>({ takes, expected, read, fits = () => true, ...options }: Parsed<T>): z.ZodType<T> {
  const type = z.string({ error: () => 'is not set' }).transform((raw, context) => {
    const value = read(raw.trim());
    if (value !== undefined && fits(value)) return value;
    context.addIssue({ code: 'custom', message: `must be ${expected}` });
    return z.NEVER;
  });
  const whole = options.default === undefined ? type : type.prefault(options.default);
  return whole.meta({ takes, default: options.default }) as unknown as z.ZodType<T>;
}
