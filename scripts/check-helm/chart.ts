import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseDocument } from 'yaml';
import { root } from '../toolchain.mjs';

// biome-ignore-start lint/suspicious/noExplicitAny: objects of many kinds; kubectl-validate and the chart's schema have checked their form.
/** Values of a rendering: what the chart's defaults and the combination's file come to. */
export type Values = any;
export type Container = any;

/** A rendered object, as far as the checks look into it. */
export interface KubeObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly [field: string]: any;
}
// biome-ignore-end lint/suspicious/noExplicitAny: see above

/** The pods that an object stands for. */
export interface Workload {
  readonly object: KubeObject;
  readonly component: string;
  readonly pod: KubeObject;
  readonly containers: readonly Container[];
  /** Whether its pods are to run on, rather than to end. */
  readonly lasting: boolean;
}

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

export const chart = join(root, 'deploy/helm/tandem');
/** A version whose features the chart may use; the program's own default is of the library's build. */
const KUBE_VERSION = '1.34.0';
const APIS = ['monitoring.coreos.com/v1', 'gateway.networking.k8s.io/v1', 'keda.sh/v1alpha1'];

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
  const apis = APIS.flatMap((api) => ['--api-versions', api]);
  return run(helm, [
    'template',
    'demo',
    chart,
    '--namespace',
    'tandem',
    '--kube-version',
    KUBE_VERSION,
    ...apis,
    ...args,
  ]);
}

/** Lints the chart, strictly. */
export function lint(helm: string, args: readonly string[]): Rendered {
  return run(helm, ['lint', chart, '--strict', '--kube-version', KUBE_VERSION, ...args]);
}

/** The objects of a rendering, each with the text that Helm wrote. */
export function documentsOf(text: string): { text: string; object: KubeObject }[] {
  return text.split(/^---$/m).flatMap((part) => {
    // As Kubernetes reads YAML: with 1.1's `on` and `off`.
    const document = parseDocument(part, { version: '1.1' });
    if (document.errors.length > 0) throw new Error(`rendered YAML: ${document.errors[0]?.message}`);
    const object = document.toJS() as KubeObject | null;
    return object ? [{ text: part, object }] : [];
  });
}

/** All objects whose pods run something. */
export function workloadsOf(objects: readonly KubeObject[]): Workload[] {
  return objects.flatMap((object) => {
    const pod = object.kind === 'Pod' ? object : object.spec?.template;
    if (!pod?.spec?.containers) return [];
    const component = pod.metadata?.labels?.['app.kubernetes.io/component'] ?? '';
    const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
    return [{ object, component, pod, containers, lasting: !['Pod', 'Job'].includes(object.kind) }];
  });
}

/** `Kind name`, for messages. */
export function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name}`;
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
  const isMap = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(base) || !isMap(over)) return over;
  const names = [...new Set([...Object.keys(base), ...Object.keys(over)])];
  return Object.fromEntries(
    names.map((name) => [name, name in over ? merged(base[name], over[name]) : base[name]]),
  );
}
