import type { z } from 'zod';

/** One value of a configuration and the variable that it comes from. */
export interface Setting<T> {
  readonly kind: 'setting';
  /** The variable's whole name, such as `TANDEM_PORT`. */
  readonly variable: string;
  readonly type: z.ZodType<T>;
  /** What it is for, without its default: a phrase in Markdown, for `--help` and docs/configuration.md. */
  readonly description: string;
  /** Never shown; may also come from the file that `<variable>_FILE` names. */
  readonly secret: boolean;
}

/** A configuration: settings by the names that code knows them by, in groups as deep as wanted. */
export interface ConfigShape {
  // biome-ignore lint/suspicious/noExplicitAny: a shape holds settings of all types; ConfigOf recovers each.
  readonly [name: string]: Setting<any> | ConfigShape;
}

/** The frozen object that a shape compiles to. */
export type ConfigOf<S> = S extends Setting<infer T> ? T : { readonly [K in keyof S]: ConfigOf<S[K]> };

/** A setting from `TANDEM_<name>`, or `--<name>` in lower case with dashes on the command line. */
export function setting<T>(name: string, type: z.ZodType<T>, description: string): Setting<T> {
  return { kind: 'setting', variable: `TANDEM_${name}`, type, description, secret: false };
}

/** A secret from `TANDEM_<name>`, or from the file that `TANDEM_<name>_FILE` names; not from the command line. */
export function secret<T>(name: string, type: z.ZodType<T>, description: string): Setting<T> {
  return { ...setting(name, type, description), secret: true };
}

/** A setting or secret from a variable that others have named, such as `OPENAI_API_KEY`. */
export function foreign<T>(
  variable: string,
  type: z.ZodType<T>,
  options: { secret: boolean; description: string },
): Setting<T> {
  return { kind: 'setting', variable, type, ...options };
}

/** All settings of a shape with the path of each, in the order written. */
export function* settingsOf(
  shape: ConfigShape,
  path: string[] = [],
): Generator<[string[], Setting<unknown>]> {
  for (const [name, entry] of Object.entries(shape)) {
    const here = [...path, name];
    if (isSetting(entry)) yield [here, entry];
    else yield* settingsOf(entry, here);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: as in ConfigShape.
function isSetting(entry: Setting<any> | ConfigShape): entry is Setting<any> {
  return entry.kind === 'setting';
}
