import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../objects.ts';
import { flowFaults } from './check.ts';
import { isAllowed } from './evaluate.ts';
import { readRows } from './table.ts';

const COMPONENT = 'app.kubernetes.io/component';
const TABLE = readRows(`
flows:
  - {from: clients, to: gateway, ports: [{port: 8080}], why: people}
  - {from: gateway, to: nats, ports: [{port: 4222}], when: ownNats, why: commands}
local:
  - {component: gateway, port: 9090, why: probes}
`);
const VALUES = { nats: { enabled: true }, networkPolicy: { enabled: true, clients: [] } };

const pod = (component: string, ...ports: number[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: component, labels: { [COMPONENT]: component } },
  spec: { containers: [{ name: 'x', image: 'x', ports: ports.map((containerPort) => ({ containerPort })) }] },
});

const policy = (component: string, ingress: object[], egress: object[]): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: component },
  spec: {
    podSelector: { matchLabels: { [COMPONENT]: component } },
    policyTypes: ['Ingress', 'Egress'],
    ingress,
    egress,
  },
});

const peer = (component: string) => [{ podSelector: { matchLabels: { [COMPONENT]: component } } }];
const port = (number: number) => [{ port: number, protocol: 'TCP' }];
const PODS = [pod('gateway', 8080, 9090), pod('nats', 4222)];
const GATEWAY = policy('gateway', [{ ports: port(8080) }], [{ ports: port(4222), to: peer('nats') }]);
const NATS = policy('nats', [{ ports: port(4222), from: peer('gateway') }], []);

describe('the table of flows', () => {
  test('agrees with objects made after it', () => {
    expect(flowFaults([...PODS, GATEWAY, NATS], VALUES, TABLE)).toEqual([]);
  });

  test.each<[string, KubeObject[], string]>([
    ['a listener without a row', [...PODS, pod('nats', 4222, 8222), GATEWAY, NATS], 'nats listens on 8222'],
    [
      'a row without a listener',
      [pod('gateway', 8080), pod('nats', 1), GATEWAY, NATS],
      'nats does not listen on 4222',
    ],
    [
      'a way out that is closed',
      [...PODS, policy('gateway', [{ ports: port(8080) }], []), NATS],
      'do not let gateway reach nats',
    ],
    ['a way in that is closed', [...PODS, GATEWAY, policy('nats', [], [])], 'do not let gateway reach nats'],
    [
      'a way in for anyone',
      [...PODS, GATEWAY, policy('nats', [{ ports: port(4222) }], [])],
      'let a pod of another namespace reach nats on 4222',
    ],
    [
      'a way out to anywhere',
      [...PODS, GATEWAY, policy('nats', [{ ports: port(4222), from: peer('gateway') }], [{}])],
      'let nats reach the metadata service',
    ],
    ['a component without a policy', [...PODS, GATEWAY], 'reach nats on'],
  ])('finds %s', (_, objects, fault) => {
    expect(flowFaults(objects, VALUES, TABLE).join('\n')).toContain(fault);
  });

  test('refuses a condition that nobody defined', () => {
    expect(() => readRows('{flows: [{from: a, to: b, ports: [], when: fullMoon, why: x}]}')).toThrow(
      'fullMoon',
    );
  });
});

describe('policies', () => {
  const only = (to: object) => [policy('worker', [], [{ ports: port(443), to: [to] }])];
  const worker = { labels: { [COMPONENT]: 'worker' } };
  const internet = { ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } };

  test.each([
    ['1.2.3.4', 443, true],
    ['10.2.3.4', 443, false],
    ['1.2.3.4', 80, false],
  ])('let a worker reach %s on %i: %s', (ip, number, allowed) => {
    expect(isAllowed(only(internet), worker, { ip }, number, 'TCP')).toBe(allowed);
  });

  test('mean the own namespace when they name none', () => {
    const dns = { labels: { app: 'dns' } };
    const elsewhere = { ...dns, namespace: { name: 'kube-system' } };
    const own = only({ podSelector: { matchLabels: { app: 'dns' } } });
    expect(isAllowed(own, worker, dns, 443, 'TCP')).toBe(true);
    expect(isAllowed(own, worker, elsewhere, 443, 'TCP')).toBe(false);
    const theirs = only({ namespaceSelector: { matchLabels: { name: 'kube-system' } } });
    expect(isAllowed(theirs, worker, elsewhere, 443, 'TCP')).toBe(true);
    expect(isAllowed(theirs, worker, dns, 443, 'TCP')).toBe(false);
  });
});
