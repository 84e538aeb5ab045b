import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseDocument } from 'yaml';
import { root } from '../toolchain.mjs';
import type { Values } from './flows/table.ts';
import type { KubeObject } from './objects.ts';

export const chart = join(root, 'deploy/helm/tandem');
/** A version whose features the chart may use; the program's own default is of the library's build. */
const KUBE_VERSION = '1.34.0';
const APIS = ['monitoring.coreos.com/v1', 'gateway.networking.k8s.io/v1', 'keda.sh/v1alpha1'];

/** A documented combination of values. */
export interface Combination {
  readonly name: string;
  /** What it is for: the file's first comment. */
  readonly purpose: string;
  readonly file: string | undefined;
  readonly values: Values;
}

/** What a run of Helm came to. */
export type Rendered = { readonly text: string } | { readonly error: string };

/** The defaults, and each file in the chart's ci/. */
export function combinations(): Combination[] {
  const defaults = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'));
  const files = readdirSync(join(chart, 'ci')).filter((name) => name.endsWith('.yaml'));
  return [
    { name: 'defaults', purpose: 'No values at all.', file: undefined, values: defaults },
    ...files.sort().map((name) => {
      const file = join(chart, 'ci', name);
      const text = readFileSync(file, 'utf8');
      const purpose = /^# (.*)$/m.exec(text)?.[1];
      if (!purpose) throw new Error(`${file} does not begin with a comment that says what it is for`);
      return { name: name.replace('.yaml', ''), purpose, file, values: merged(defaults, parse(text)) };
    }),
  ];
}

/** Renders the chart. */
export function template(helm: string, args: readonly string[]): Rendered {
  return run(helm, [
    'template',
    'demo',
    chart,
    '--namespace',
    'tandem',
    '--kube-version',
    KUBE_VERSION,
    ...APIS.flatMap((api) => ['--api-versions', api]),
    ...args,
  ]);
}

/** Lints the chart, strictly. */
export function lint(helm: string, args: readonly string[]): Rendered {
  return run(helm, ['lint', chart, '--strict', '--kube-version', KUBE_VERSION, ...args]);
}

/** A rendered document as Helm wrote it, and the object that Kubernetes sees in it. */
export interface Document {
  readonly text: string;
  readonly object: KubeObject;
}

/** The documents of a rendering. */
export function documentsOf(text: string): Document[] {
  return text.split(/^---$/m).flatMap((part) => {
    // As Kubernetes reads YAML: with 1.1's `on` and `off`.
    const document = parseDocument(part, { version: '1.1' });
    if (document.errors.length > 0) throw new Error(`rendered YAML: ${document.errors[0]?.message}`);
    const object = document.toJS() as KubeObject | null;
    return object ? [{ text: part, object }] : [];
  });
}

function run(helm: string, args: readonly string[]): Rendered {
  // A home of its own: no repositories, plugins or settings of whoever runs this.
  const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
  const done = spawnSync(helm, args, { encoding: 'utf8', maxBuffer: 1 << 26, env });
  if (done.error) throw done.error;
  return done.status === 0 ? { text: done.stdout } : { error: `${done.stdout}${done.stderr}`.trim() };
}

/** Maps merge, all else is replaced, as Helm does it. */
function merged(base: Values, over: Values): Values {
  if (!isMap(base) || !isMap(over)) return over;
  const result = { ...base };
  for (const [name, value] of Object.entries(over)) result[name] = merged(base[name], value);
  return result;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
