import { type KubeObject, nameOf, type Workload, workloadsOf } from '../objects.ts';
import { type End, isAllowed } from './evaluate.ts';
import { type Flow, flowsWith, type LocalPort, type readRows, type Values } from './table.ts';

const COMPONENTS = ['gateway', 'worker', 'nats', 'valkey', 'test'];
/** Somebody in the cluster, and somebody outside, whom no row names. */
const STRANGERS: Readonly<Record<string, End>> = {
  'a pod of another namespace': { labels: { app: 'stranger' }, namespace: { team: 'other' } },
  'a pod of this namespace': { labels: { app: 'stranger' } },
  'an address of a private network': { ip: '192.168.7.7' },
  'the metadata service of a cloud': { ip: '169.254.169.254' },
};
const TRIED_PORTS = [22, 53, 80, 443, 2379, 4222, 6222, 6379, 7777, 8080, 8222, 9090, 9091, 9121, 10250];

interface Context {
  readonly policies: readonly KubeObject[];
  readonly flows: readonly Flow[];
  readonly pods: ReadonlyMap<string, Workload>;
  readonly values: Values;
}

/** Where the table of flows and the rendered objects differ, seen from both sides. */
export function flowFaults(
  objects: readonly KubeObject[],
  values: Values,
  { flows: rows, local }: ReturnType<typeof readRows>,
): string[] {
  const pods = new Map(workloadsOf(objects).map((workload) => [workload.component, workload]));
  const context = {
    policies: objects.filter(({ kind }) => kind === 'NetworkPolicy'),
    flows: flowsWith(values, rows),
    pods,
    values,
  };
  return [
    ...rowsWithoutPort(context),
    ...portsWithoutRow(context, local),
    ...servicePortsWithoutContainer(objects, pods),
    ...(values.networkPolicy.enabled ? [...closedFlows(context), ...openStrangers(context)] : []),
  ];
}

function rowsWithoutPort({ flows, pods }: Context): string[] {
  return flows.flatMap(({ to, ports }) => {
    if (!COMPONENTS.includes(to)) return [];
    const open = portsOf(pods.get(to));
    return ports
      .filter(({ port }) => !open.includes(port))
      .map(({ port }) => `${to} does not listen on ${port}`);
  });
}

function portsWithoutRow({ flows, pods }: Context, local: readonly LocalPort[]): string[] {
  return [...pods].flatMap(([component, workload]) =>
    portsOf(workload)
      .filter(
        (port) =>
          !flows.some(({ to, ports }) => to === component && ports.some((named) => named.port === port)) &&
          !local.some((named) => named.component === component && named.port === port),
      )
      .map((port) => `${component} listens on ${port}, of which the table of flows says nothing`),
  );
}

function servicePortsWithoutContainer(
  objects: readonly KubeObject[],
  pods: ReadonlyMap<string, Workload>,
): string[] {
  return objects.flatMap((object) => {
    if (object.kind !== 'Service') return [];
    const workload = pods.get(object.spec.selector?.['app.kubernetes.io/component'] ?? '');
    const names = workload?.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name)) ?? [];
    return (object.spec.ports as { name: string; targetPort: string }[])
      .filter(({ targetPort }) => !names.includes(targetPort))
      .map(({ targetPort }) => `${nameOf(object)}: no container has a port ${targetPort}`);
  });
}

function closedFlows({ flows, policies, pods, values }: Context): string[] {
  return flows.flatMap(({ from, to, ports }) =>
    ports.flatMap(({ port, protocol }) =>
      endsOf(from, pods, values).flatMap((source) =>
        endsOf(to, pods, values)
          .filter((target) => !isAllowed(policies, source, target, port, protocol))
          .map(() => `the policies do not let ${from} reach ${to} on ${port}/${protocol}`),
      ),
    ),
  );
}

function openStrangers({ flows, policies, pods, values }: Context): string[] {
  const faults: string[] = [];
  const others: [string, End][] = [
    ...[...pods.keys()].map((name): [string, End] => [name, podEnd(name, pods)]),
    ...Object.entries(STRANGERS),
  ];
  for (const component of pods.keys()) {
    const own = podEnd(component, pods);
    for (const [name, other] of others) {
      for (const port of TRIED_PORTS) {
        const named = (from: string, to: string) =>
          flows.some((flow) => isNamed(flow, from, to, port, values));
        if (isAllowed(policies, other, own, port, 'TCP') && !named(name, component)) {
          faults.push(`the policies let ${name} reach ${component} on ${port}, which no flow does`);
        }
        if (isAllowed(policies, own, other, port, 'TCP') && !named(component, name)) {
          faults.push(`the policies let ${component} reach ${name} on ${port}, which no flow does`);
        }
      }
    }
  }
  return [...new Set(faults)];
}

/** Whether a flow has these ends; a stranger is only meant where the values leave the peers open. */
function isNamed(
  { from, to, ports }: Flow,
  source: string,
  target: string,
  port: number,
  values: Values,
): boolean {
  const fits = (name: string, end: string) =>
    name === end ||
    (end in STRANGERS && !COMPONENTS.includes(name) && values.networkPolicy[name].length === 0);
  return fits(from, source) && fits(to, target) && ports.some((named) => named.port === port);
}

function podEnd(component: string, pods: ReadonlyMap<string, Workload>): End {
  return { labels: pods.get(component)?.labels ?? {} };
}

/** Pods and addresses that a flow's end stands for. */
function endsOf(name: string, pods: ReadonlyMap<string, Workload>, values: Values): End[] {
  if (COMPONENTS.includes(name)) return [podEnd(name, pods)];
  const peers: Values[] = values.networkPolicy[name];
  if (peers.length === 0)
    return [{ ip: '203.0.113.9' }, { labels: { any: 'pod' }, namespace: { any: 'namespace' } }];
  return peers.map(({ ipBlock, podSelector, namespaceSelector }) =>
    ipBlock
      ? { ip: addressIn(ipBlock.cidr) }
      : { labels: podSelector?.matchLabels ?? {}, namespace: namespaceSelector?.matchLabels },
  );
}

function addressIn(cidr: string): string {
  return cidr === '0.0.0.0/0' ? '203.0.113.9' : cidr.replace(/\d+\/\d+$/, '9');
}

function portsOf(workload: Workload | undefined): number[] {
  return (
    workload?.containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort)) ?? []
  );
}
