import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeObject, nameOf } from './chart.ts';
import type { Tools } from './tools.ts';
import { verdictsOn } from './verdicts.ts';

/** The API that rendered objects are checked against: the oldest that the chart takes. */
const KUBERNETES = '1.30';
/** Objects with a fault each, of which the validator has to say something: else it checks nothing. */
const WRONG = [
  ['apps/v1', 'Deployment', { replicas: 'many', selector: {}, template: {} }],
  ['networking.k8s.io/v1', 'NetworkPolicy', { podSelector: {}, policyType: [] }],
  ['monitoring.coreos.com/v1', 'PodMonitor', { selector: {}, podMetricsEndpoints: 'all' }],
  ['monitoring.coreos.com/v1', 'ServiceMonitor', { selector: {} }],
  ['monitoring.coreos.com/v1', 'PrometheusRule', { groups: [{ rules: [] }] }],
  ['gateway.networking.k8s.io/v1', 'HTTPRoute', { rules: [{ timeouts: { request: 'soon' } }] }],
  ['keda.sh/v1alpha1', 'ScaledObject', { triggers: [{}] }],
] as const;
/** Left out: what the chart leaves to whoever installs it, or decides otherwise (user 1000; images by exact version). */
const NOT_SCORED = [
  'container-ephemeral-storage-request-and-limit',
  'container-image-pull-policy',
  'container-security-context-user-group-id',
  'deployment-has-host-podantiaffinity',
  'pod-networkpolicy', // Who may reach whom is the flows' matter.
  'pod-probes-identical', // NATS and Valkey have no other word on how they are.
  'statefulset-has-host-podantiaffinity',
];

/**
 * Validates rendered texts against the API server's own schemas and the definitions of custom resources; each text once,
 * however many renderings have it.
 */
export function schemaFaults(
  documents: readonly { readonly text: string; readonly object: KubeObject }[],
  tools: Tools,
): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-validate-'));
  try {
    const names = new Map<string, string>();
    for (const [text, object] of new Map(documents.map(({ text, object }) => [text, object]))) {
      const path = join(folder, `${names.size}.yaml`);
      writeFileSync(path, text);
      names.set(path, nameOf(object));
    }
    const crds = tools.definitions.flatMap((path) => ['--local-crds', path]);
    const args = ['--version', KUBERNETES, ...crds, '--output', 'json', folder];
    const done = spawnSync(tools['kubectl-validate'], args, { encoding: 'utf8', maxBuffer: 1 << 28 });
    if (done.error) throw done.error;
    const answers: Record<string, { status?: string; message?: string }[]> = JSON.parse(done.stdout || '{}');
    return [...names].flatMap(([path, name]) => {
      const results = answers[path] ?? [{ message: 'was not validated' }];
      const failed = results.filter(({ status }) => status !== 'Success');
      return failed.map(({ message }) => `${name}: ${message ?? 'invalid'}`);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Wrong objects that the validators take. */
export function blindSpots(tools: Tools): string[] {
  const closed = { kind: 'NetworkPolicy', metadata: { name: 'closed' }, spec: { policyTypes: ['Ingress'] } };
  const pod = { Internal: { PodLabels: {}, Namespace: 'tandem', NamespaceLabels: {} }, IP: '10.0.0.1' };
  const { pods, traffic } = verdictsOn(tools.verdicts, {
    pods: [{ spec: { containers: [{ name: 'careless' }] } }],
    policies: [closed],
    traffic: [{ Source: pod, Destination: pod, ResolvedPort: 80, Protocol: 'TCP' }],
  });
  const wrong = WRONG.filter(([apiVersion, kind, spec]) => {
    const object = { apiVersion, kind, metadata: { name: 'wrong' }, spec };
    return schemaFaults([{ text: JSON.stringify(object), object }], tools).length === 0;
  });
  return [
    ...wrong.map(([, kind]) => `a wrong ${kind} was taken`),
    ...(pods[0] === '' ? ['a pod without any restriction was taken'] : []),
    ...(traffic[0] ? ['a policy that closes everything let something through'] : []),
  ];
}

/** What kube-score finds critical in a rendering. */
export function scoreFaults(rendered: string, tools: Tools): string[] {
  const ignored = NOT_SCORED.flatMap((test) => ['--ignore-test', test]);
  const args = ['score', '--output-format', 'ci', ...ignored, '-'];
  const done = spawnSync(tools['kube-score'], args, { input: rendered, encoding: 'utf8' });
  if (done.error) throw done.error;
  const critical = done.stdout.split('\n').filter((line) => line.startsWith('[CRITICAL]'));
  return critical.length === 0 && done.status !== 0 ? [done.stderr] : critical;
}
