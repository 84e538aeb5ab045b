import { type ConfigOf, type ConfigShape, type Setting, settingsOf } from './setting.ts';

/** Some settings under a heading of their own. */
export interface HelpSection {
  readonly title: string;
  readonly shape: ConfigShape;
}

/** One setting, as tables and help show it. */
export interface SettingDescription {
  readonly variable: string;
  /** What may be written, in Markdown. */
  readonly takes: string;
  /** As a user would write it; undefined: there is none. */
  readonly default: string | undefined;
  readonly required: boolean;
  readonly secret: boolean;
  /** A phrase in Markdown. */
  readonly meaning: string;
}

const INTRODUCTION = `Settings are variables, or arguments of the same name: TANDEM_PORT=9000 is --port 9000. Secrets are variables only, or are
read from the file that <variable>_FILE names. docs/configuration.md says more.`;

/** Describes every setting of a shape, in the order written. Values that are set are no part of it. */
export function describeSettings(shape: ConfigShape): SettingDescription[] {
  return [...settingsOf(shape)].map(([, setting]) => describe(setting));
}

/**
 * The text of a program's `--help`.
 * @param program one sentence on what it is
 */
export function settingsHelp(program: string, sections: readonly HelpSection[]): string {
  return [program, INTRODUCTION, ...sections.map(sectionHelp)].join('\n\n');
}

function describe({ variable, type, secret, description }: Setting<unknown>): SettingDescription {
  const { takes, default: otherwise } = type.meta() as { takes: string; default?: string };
  const required = !type.safeParse(undefined).success;
  return { variable, takes, default: otherwise || undefined, required, secret, meaning: description };
}

/** Some settings as plain text, values that are set left out. */
export function sectionHelp({ title, shape }: HelpSection): string {
  const entries = describeSettings(shape).map(({ variable, takes, required, secret, meaning, ...rest }) => {
    const notes = [
      takes,
      secret && 'secret',
      required && 'required',
      rest.default !== undefined && `default ${rest.default}`,
    ];
    return `  ${variable} (${notes.filter(Boolean).join('; ')})\n      ${meaning}`;
  });
  return plain(`${title}:\n${entries.join('\n')}`);
}

/** Markdown without its marks. */
function plain(markdown: string): string {
  return markdown.replaceAll('`', '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

/**
 * A configuration as a service may print it when it starts: variable → value. Secrets are `***` when set, and so are
 * user and password inside URLs.
 */
export function describeConfig<S extends ConfigShape>(
  shape: S,
  config: ConfigOf<S>,
): Record<string, unknown> {
  const description: Record<string, unknown> = {};
  for (const [path, { variable, secret }] of settingsOf(shape)) {
    const value = path.reduce<unknown>((tree, name) => (tree as Record<string, unknown>)[name], config);
    description[variable] = secret && value !== undefined ? '***' : hideUserInfo(value);
  }
  return description;
}

function hideUserInfo(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideUserInfo);
  return typeof value === 'string' ? value.replace(/:\/\/[^/@\s]*@/g, '://***@') : value;
}
