import type { KubeObject } from '../objects.ts';

/** One end of a connection: a pod with the labels of itself and its namespace, or an address outside. */
export interface End {
  readonly labels?: Readonly<Record<string, string>>;
  /** Labels of its namespace; the release's own when absent. */
  readonly namespace?: Readonly<Record<string, string>>;
  readonly ip?: string;
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { cidr: string; except?: readonly string[] };
}

interface Rule {
  readonly ports?: readonly { port: number; protocol?: string }[];
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
}

/** Whether Kubernetes would let a connection through with these policies, as its documentation of them says. */
export function isAllowed(
  policies: readonly KubeObject[],
  from: End,
  to: End,
  port: number,
  protocol: string,
): boolean {
  const passes = (end: End, other: End, direction: 'Ingress' | 'Egress') => {
    // Only the release's own pods are under its policies.
    if (!end.labels || end.namespace) return true;
    const selecting = policies.filter(
      ({ spec }) => spec.policyTypes.includes(direction) && matches(spec.podSelector, end.labels),
    );
    if (selecting.length === 0) return true;
    const rules = selecting.flatMap(
      ({ spec }): Rule[] => spec[direction === 'Ingress' ? 'ingress' : 'egress'] ?? [],
    );
    return rules.some(
      (rule) =>
        portFits(rule, port, protocol) && peerFits(direction === 'Ingress' ? rule.from : rule.to, other),
    );
  };
  return passes(from, to, 'Egress') && passes(to, from, 'Ingress');
}

function portFits({ ports }: Rule, port: number, protocol: string): boolean {
  return !ports?.length || ports.some((open) => open.port === port && (open.protocol ?? 'TCP') === protocol);
}

function peerFits(peers: readonly Peer[] | undefined, end: End): boolean {
  if (!peers?.length) return true;
  return peers.some(({ podSelector, namespaceSelector, ipBlock }) => {
    if (ipBlock) return end.ip !== undefined && inBlock(end.ip, ipBlock);
    if (!end.labels) return false;
    const inNamespace = namespaceSelector ? matches(namespaceSelector, end.namespace ?? {}) : !end.namespace;
    return inNamespace && (!podSelector || matches(podSelector, end.labels));
  });
}

function matches({ matchLabels = {} }: Selector, labels: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
}

function inBlock(ip: string, { cidr, except = [] }: { cidr: string; except?: readonly string[] }): boolean {
  return contains(cidr, ip) && !except.some((block) => contains(block, ip));
}

function contains(cidr: string, ip: string): boolean {
  const [network = '', bits = '32'] = cidr.split('/');
  const shift = 2 ** (32 - Number(bits));
  return Math.floor(toNumber(network) / shift) === Math.floor(toNumber(ip) / shift);
}

function toNumber(ip: string): number {
  return ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}
