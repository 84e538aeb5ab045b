import { z } from 'zod';
// @boundaries-ignore it tells of all programs
import { clusterConfigShape } from '../../../packages/cluster/src/config-shape.ts';
// @boundaries-ignore it tells of all programs
import { shape as admin } from '../../../services/admin/src/main.ts';
// @boundaries-ignore it tells of all programs
import { gatewayProcessShape as gateway } from '../../../services/gateway/src/config/process-config.ts';
// @boundaries-ignore it tells of all programs
import { shape as standalone } from '../../../services/standalone/src/main.ts';
// @boundaries-ignore it tells of all programs
import { workerProcessShape as worker } from '../../../services/worker/src/worker-config.ts';
import {
  type ConfigShape,
  catalogueSchema,
  catalogueSettings,
  describeSettings,
  type SettingDescription,
} from '../src/index.ts';
import { usersFileSchema } from '../src/users/users-file.ts';

/** What is read of a JSON schema. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
}

/** The tables of docs/configuration.md by the names of their places in it, as Markdown. */
export const CONFIGURATION_TABLES: Readonly<Record<string, () => string>> = {
  gateway: () => settingsTable(describeSettings(gateway)),
  worker: () => settingsTable(describeSettings(worker)),
  engines: () => settingsTable(describeSettings(clusterConfigShape)),
  catalogue: () => settingsTable(describeSettings(catalogueSettings)),
  standalone: standaloneTable,
  admin: () => settingsTable(describeSettings(admin)),
  'users file': () => fileTable(usersFileSchema),
  'models file': () => fileTable(catalogueSchema),
};

/**
 * A page with its tables written anew, each between `<!-- NAME table -->` and `<!-- end of NAME table -->`.
 * @throws Error when the page has no place for one
 */
export function withTables(page: string): string {
  return Object.entries(CONFIGURATION_TABLES).reduce((text, [name, render]) => {
    const [from, to] = [`<!-- ${name} table -->`, `<!-- end of ${name} table -->`];
    const [before, rest, ...more] = text.split(from);
    const [, after] = rest?.split(to) ?? [];
    if (after === undefined || more.length > 0)
      throw new Error(`the page has no place for the ${name} table`);
    return `${before}${from}\n\n${render()}\n\n${to}${after}`;
  }, page);
}

/** What the standalone process takes otherwise than gateways and workers do, and what it does not take. */
function standaloneTable(): string {
  const elsewhere = [gateway, worker].flatMap((shape: ConfigShape) => describeSettings(shape));
  const taken = byVariable(describeSettings(standalone));
  const differs = (one: SettingDescription) =>
    !elsewhere.some(
      ({ variable, default: otherwise, meaning }) =>
        variable === one.variable && otherwise === one.default && meaning === one.meaning,
    );
  const missing = [...byVariable(elsewhere).keys()].filter((variable) => !taken.has(variable));
  return `${settingsTable([...taken.values()].filter(differs))}\n\nIt does not know ${missing.map(code).join(', ')}.`;
}

function byVariable(settings: readonly SettingDescription[]): Map<string, SettingDescription> {
  return new Map(settings.map((one) => [one.variable, one]));
}

function settingsTable(settings: readonly SettingDescription[]): string {
  return table(
    ['variable', 'takes', 'default', 'meaning'],
    settings.map(({ variable, takes, default: otherwise, required, secret, meaning }) => [
      code(variable),
      secret ? `${takes}; secret` : takes,
      required ? '**required**' : code(otherwise),
      meaning,
    ]),
  );
}

function fileTable(schema: z.ZodType): string {
  const form = z.toJSONSchema(schema, { io: 'input' }) as Schema;
  return table(['entry', 'takes', 'default', 'meaning'], [...entries(form, '')]);
}

function* entries(schema: Schema, path: string): Generator<string[]> {
  for (const [name, entry] of Object.entries(schema.properties ?? {})) {
    const required = schema.required?.includes(name) === true;
    const otherwise = isPlain(entry.default) ? String(entry.default) : undefined;
    const here = `${path}${name}${entry.items?.properties ? '[]' : ''}`;
    yield [code(here), takes(entry), required ? '**required**' : code(otherwise), entry.description ?? ''];
    yield* entries(entry.items ?? entry, `${here}.`);
  }
}

function takes({ type, enum: words, anyOf, items, properties, additionalProperties }: Schema): string {
  if (words) return words.map((word) => code(String(word))).join(', ');
  if (anyOf) return anyOf.map(takes).join(' or ');
  if (type === 'array')
    return items?.properties ? 'list' : `list of ${NAMES[items?.type ?? ''] ?? 'values'}s`;
  if (typeof additionalProperties === 'object') return `name: ${takes(additionalProperties)}`;
  if (properties && Object.keys(properties).length === 1) return code(`{ ${Object.keys(properties)[0]}: … }`);
  return NAMES[type ?? ''] ?? '';
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: '`true` or `false`',
  object: 'entries',
};

function isPlain(value: unknown): boolean {
  return value !== undefined && typeof value !== 'object';
}

function code(text: string | undefined): string {
  return text === undefined ? '' : `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
