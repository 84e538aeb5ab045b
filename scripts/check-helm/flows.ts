import { parse } from 'yaml';
import { type KubeObject, nameOf, type Values, type Workload } from './chart.ts';
import { type Peer, type Traffic, verdictsOn } from './verdicts.ts';

interface Flow {
  readonly from: string;
  readonly to: string;
  readonly ports: readonly { port?: number; value?: string; values?: string; protocol?: string }[];
  readonly when?: keyof typeof CONDITIONS;
  readonly why: string;
}

/** The table of flows as it is written, and ports that listen although no flow leads there. */
export interface Table {
  readonly flows: readonly Flow[];
  readonly local: readonly { readonly component: string; readonly port: number; readonly why: string }[];
}

/** What the conditions of the table mean, told a second time: the chart's own helper is what is tested. */
const CONDITIONS = {
  albHealthChecks: (v: Values): boolean => v.ingress.enabled && v.ingress.controller === 'alb',
  metrics: (v: Values): boolean => v.metrics.monitor !== 'none',
  natsExporter: (v: Values): boolean =>
    v.metrics.monitor !== 'none' && v.nats.enabled && v.nats.exporter.enabled,
  valkeyExporter: (v: Values): boolean =>
    v.metrics.monitor !== 'none' && v.valkey.enabled && v.valkey.exporter.enabled,
  ownNats: (v: Values): boolean => v.nats.enabled,
  natsCluster: (v: Values): boolean => v.nats.enabled && v.nats.replicas > 1,
  ownValkey: (v: Values): boolean => v.valkey.enabled,
  externalNats: (v: Values): boolean => !v.nats.enabled,
  externalValkey: (v: Values): boolean => !v.valkey.enabled,
  blobCache: (v: Values): boolean => v.blobCache.existingSecret !== '',
  tracing: (v: Values): boolean => v.tracing.enabled,
};

const COMPONENTS = ['gateway', 'worker', 'nats', 'valkey', 'test'];
/** No policy has this in a block of addresses. */
const POD_IP = '100.100.9.5';
const podWith = (labels: object, namespace: string, namespaceLabels: object): Peer => ({
  Internal: { PodLabels: labels, Namespace: namespace, NamespaceLabels: namespaceLabels },
  IP: POD_IP,
});
/** Somebody in the cluster, and somebody outside, whom no row names. */
const STRANGERS: Readonly<Record<string, Peer>> = {
  'a pod of another namespace': podWith({ app: 'stranger' }, 'other', { team: 'other' }),
  'a pod of this namespace': podWith({ app: 'stranger' }, 'tandem', {}),
  'an address of a private network': { IP: '192.168.7.7' },
  'the metadata service of a cloud': { IP: '169.254.169.254' },
};
const TRIED_PORTS = [22, 53, 80, 443, 2379, 4222, 6222, 6379, 7777, 8080, 8222, 9090, 9091, 9121, 10250];

/** Reads the table. @throws Error for a condition that nobody defined */
export function readTable(text: string): Table {
  const table = parse(text) as Table;
  for (const { when } of table.flows) {
    if (when !== undefined && !(when in CONDITIONS)) throw new Error(`flows.yaml: ${when} is no condition`);
  }
  return table;
}

/** Where the table of flows and the rendered objects differ, seen from both sides. */
export function flowFaults(
  program: string,
  objects: readonly KubeObject[],
  workloads: readonly Workload[],
  values: Values,
  table: Table,
): string[] {
  const pods = new Map(workloads.map((workload) => [workload.component, workload]));
  const flows = flowsWith(values, table);
  const faults = [...listenerFaults(flows, pods, table), ...serviceFaults(objects, pods)];
  if (!values.networkPolicy.enabled) return faults;

  const components = Object.fromEntries(
    [...pods].map(([name, { pod }]) => [name, podWith(pod.metadata.labels ?? {}, 'tandem', {})]),
  );
  const outside = (name: string): Peer[] => {
    const own = components[name];
    if (own) return [own];
    const peers: Values[] = values.networkPolicy[name];
    if (peers.length === 0)
      return [{ IP: '203.0.113.9' }, podWith({ any: 'pod' }, 'any', { any: 'namespace' })];
    return peers.map(({ ipBlock, podSelector, namespaceSelector }) =>
      ipBlock
        ? { IP: ipBlock.cidr === '0.0.0.0/0' ? '203.0.113.9' : ipBlock.cidr.replace(/\d+\/\d+$/, '9') }
        : podWith(
            podSelector?.matchLabels ?? {},
            namespaceSelector ? 'selected' : 'tandem',
            namespaceSelector?.matchLabels ?? {},
          ),
    );
  };
  const wanted = flows.flatMap(({ from, to, port, protocol }) =>
    outside(from).flatMap((source) =>
      outside(to).map((target) => ({ from, to, named: true, ...traffic(source, target, port, protocol) })),
    ),
  );
  /** A stranger is only meant where the values leave the peers open. */
  const meant = (name: string, end: string) =>
    name === end ||
    (end in STRANGERS && !COMPONENTS.includes(name) && values.networkPolicy[name].length === 0);
  const tried = Object.entries(components).flatMap(([name, own]) =>
    Object.entries({ ...components, ...STRANGERS }).flatMap(([other, peer]) =>
      TRIED_PORTS.flatMap((port) => [
        { from: other, to: name, ...traffic(peer, own, port, 'TCP') },
        { from: name, to: other, ...traffic(own, peer, port, 'TCP') },
      ]),
    ),
  );
  const unnamed = tried.filter(
    ({ from, to, ResolvedPort: port }) =>
      !flows.some((flow) => meant(flow.from, from) && meant(flow.to, to) && flow.port === port),
  );
  const all = [...wanted, ...unnamed.map((one) => ({ ...one, named: false }))];
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
  const { traffic: allowed } = verdictsOn(program, { policies, traffic: all });
  const wrong = all.flatMap(({ from, to, named, ResolvedPort: port, Protocol }, index) => {
    if (allowed[index] === named) return [];
    return named
      ? `the policies do not let ${from} reach ${to} on ${port}/${Protocol}`
      : `the policies let ${from} reach ${to} on ${port}, which no flow does`;
  });
  return [...faults, ...new Set(wrong)];
}

/** The flows that exist with these values, one for each port. */
function flowsWith(values: Values, { flows }: Table) {
  const valueAt = (path: string): Values => path.split('.').reduce((value, name) => value[name], values);
  return flows
    .filter(({ when }) => when === undefined || CONDITIONS[when](values))
    .flatMap(({ from, to, ports }) =>
      ports.flatMap(({ port, value, values: path, protocol = 'TCP' }) => {
        const numbers: number[] = port ? [port] : [valueAt(value ?? path ?? '')].flat();
        return numbers.map((number) => ({ from, to, port: number, protocol }));
      }),
    );
}

function listenerFaults(
  flows: ReturnType<typeof flowsWith>,
  pods: ReadonlyMap<string, Workload>,
  { local }: Table,
): string[] {
  const open = [...pods].flatMap(([name, { containers }]) =>
    containers.flatMap(({ ports = [] }) =>
      ports.map(({ containerPort }: Values) => ({ name, port: containerPort as number })),
    ),
  );
  const unheard = flows.filter(
    ({ to, port }) => COMPONENTS.includes(to) && !open.some((one) => one.name === to && one.port === port),
  );
  const untold = open.filter(
    ({ name, port }) =>
      !flows.some((flow) => flow.to === name && flow.port === port) &&
      !local.some((one) => one.component === name && one.port === port),
  );
  return [
    ...unheard.map(({ to, port }) => `${to} does not listen on ${port}`),
    ...untold.map(({ name, port }) => `${name} listens on ${port}, of which the table of flows says nothing`),
  ];
}

function serviceFaults(objects: readonly KubeObject[], pods: ReadonlyMap<string, Workload>): string[] {
  return objects.flatMap((object) => {
    if (object.kind !== 'Service') return [];
    const workload = pods.get(object.spec.selector?.['app.kubernetes.io/component'] ?? '');
    const names =
      workload?.containers.flatMap(({ ports = [] }) => ports.map(({ name }: Values) => name)) ?? [];
    return (object.spec.ports as { targetPort: string }[])
      .filter(({ targetPort }) => !names.includes(targetPort))
      .map(({ targetPort }) => `${nameOf(object)}: no container has a port ${targetPort}`);
  });
}

function traffic(Source: Peer, Destination: Peer, ResolvedPort: number, Protocol: string): Traffic {
  return { Source, Destination, ResolvedPort, Protocol };
}
