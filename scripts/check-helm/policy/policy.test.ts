import { describe, expect, test } from 'vitest';
import { type KubeObject, workloadsOf } from '../objects.ts';
import { containerFaults, imageFaults } from './containers.ts';
import { securityFaults } from './restricted.ts';
import { rolloutFaults } from './rollout.ts';

/** A gateway that nothing is wrong with. */
function good() {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'gateway' },
    spec: {
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels: { 'app.kubernetes.io/component': 'gateway' } },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 30,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1000,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          volumes: [{ name: 'tmp', emptyDir: {} }] as object[],
          containers: [goodContainer()],
        },
      },
    },
  };
}

function goodContainer() {
  return {
    name: 'gateway',
    image: 'gateway:1.2.3',
    env: [{ name: 'TANDEM_DRAIN_GRACE', value: '5s' }],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } },
    startupProbe: {},
    readinessProbe: {},
    livenessProbe: {},
    lifecycle: { preStop: { sleep: { seconds: 10 } } },
  };
}

function faultsAfter(change: (object: ReturnType<typeof good>) => void): string[] {
  const object = good();
  change(object);
  const objects = [object as unknown as KubeObject];
  const workloads = workloadsOf(objects);
  return [
    ...workloads.flatMap(securityFaults),
    ...workloads.flatMap(containerFaults),
    ...rolloutFaults(objects, workloads),
  ];
}

describe('policies', () => {
  test('find nothing wrong with a good pod', () => {
    expect(faultsAfter(() => {})).toEqual([]);
  });

  // biome-ignore lint/suspicious/noExplicitAny: the changes make what the type forbids.
  const changes: [string, (object: any) => void, RegExp][] = [
    ['root', (o) => delete podOf(o).securityContext.runAsNonRoot, /runAsNonRoot/],
    ['user 0', (o) => (podOf(o).securityContext.runAsUser = 0), /runAsUser/],
    ['no seccomp', (o) => delete podOf(o).securityContext.seccompProfile, /seccompProfile/],
    ['a token', (o) => delete podOf(o).automountServiceAccountToken, /token/],
    ['service links', (o) => delete podOf(o).enableServiceLinks, /TANDEM_PORT/],
    ['the host network', (o) => (podOf(o).hostNetwork = true), /hostNetwork/],
    ['a host path', (o) => podOf(o).volumes.push({ name: 'x', hostPath: {} }), /hostPath/],
    ['escalation', (o) => delete containerOf(o).securityContext.allowPrivilegeEscalation, /Escalation/],
    ['a writable root', (o) => delete containerOf(o).securityContext.readOnlyRootFilesystem, /written to/],
    ['capabilities', (o) => delete containerOf(o).securityContext.capabilities, /capabilities/],
    ['a port of the host', (o) => (containerOf(o).ports = [{ containerPort: 1, hostPort: 1 }]), /host/],
    ['no memory limit', (o) => delete containerOf(o).resources.limits.memory, /no memory in limits/],
    ['no liveness', (o) => delete containerOf(o).livenessProbe, /livenessProbe/],
    ['a password', (o) => containerOf(o).env.push({ name: 'X_PASSWORD', value: 'hunter2' }), /written out/],
    ['a shell', (o) => (containerOf(o).command = ['/bin/sh', '-c', 'x']), /shell/],
    ['unavailability', (o) => (o.spec.strategy.rollingUpdate.maxUnavailable = 1), /maxUnavailable/],
    ['a short grace', (o) => (podOf(o).terminationGracePeriodSeconds = 20), /does not cover/],
    ['no preStop', (o) => delete containerOf(o).lifecycle, /preStop/],
    [
      'a short shutdown',
      (o) =>
        containerOf(o).env.push(
          { name: 'TANDEM_SHUTDOWN_TIMEOUT', value: '15s' },
          { name: 'TANDEM_STORE_TIMEOUT', value: '30s' },
        ),
      /SHUTDOWN/,
    ],
    [
      'a long shutdown',
      (o) => containerOf(o).env.push({ name: 'TANDEM_SHUTDOWN_TIMEOUT', value: '25s' }),
      /SHUTDOWN/,
    ],
  ];
  test.each(changes)('refuse %s', (_, change, fault) => {
    const faults = faultsAfter(change);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });

  test('want scaling down to be slow', () => {
    const scaler = (scaleDown: object) => ({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'gateway' },
      spec: { behavior: { scaleDown } },
    });
    const one = [{ type: 'Pods', value: 1 }];
    expect(rolloutFaults([scaler({ stabilizationWindowSeconds: 300, policies: one })], [])).toEqual([]);
    expect(rolloutFaults([scaler({ policies: one })], [])).toHaveLength(1);
    const half = [{ type: 'Percent', value: 50 }];
    expect(rolloutFaults([scaler({ stabilizationWindowSeconds: 300, policies: half })], [])).toHaveLength(1);
  });
});

test.each([
  ['nats:2.15.3-alpine', 0],
  ['registry.example.com:5000/team/gateway:0.1.0', 0],
  [`gateway@sha256:${'0'.repeat(64)}`, 0],
  ['nats', 1],
  ['registry.example.com:5000/gateway', 1],
  ['nats:latest', 1],
  ['node:24', 1],
])('image %s has %i faults', (image, faults) => {
  expect(imageFaults(image)).toHaveLength(faults);
});

// biome-ignore lint/suspicious/noExplicitAny: as above.
function podOf(object: any) {
  return object.spec.template.spec;
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
function containerOf(object: any) {
  return podOf(object).containers[0];
}
