import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { workloadsOf } from './chart.ts';
import { houseFaults, imageFaults } from './house-rules.ts';

/** A gateway that nothing is wrong with, and its scaling. */
const GOOD = `
- kind: Deployment
  metadata: {name: gateway}
  spec:
    strategy: {rollingUpdate: {maxUnavailable: 0}}
    template:
      metadata: {labels: {app.kubernetes.io/component: gateway}}
      spec:
        automountServiceAccountToken: false
        enableServiceLinks: false
        terminationGracePeriodSeconds: 30
        securityContext: {runAsUser: 1000}
        containers:
          - name: gateway
            image: gateway:1.2.3
            env: [{name: TANDEM_DRAIN_GRACE, value: 5s}, {name: TANDEM_SHUTDOWN_TIMEOUT, value: 14s}]
            resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1, memory: 1Gi}}
            startupProbe: {}
            readinessProbe: {}
            livenessProbe: {}
            lifecycle: {preStop: {sleep: {seconds: 10}}}
- kind: HorizontalPodAutoscaler
  metadata: {name: gateway}
  spec: {behavior: {scaleDown: {stabilizationWindowSeconds: 300, policies: [{type: Pods, value: 1}]}}}
`;

function faultsOf(yaml: string): string[] {
  const objects = parse(yaml);
  return houseFaults(objects, workloadsOf(objects));
}

test('nothing is wrong with a good gateway', () => {
  expect(faultsOf(GOOD)).toEqual([]);
});

test.each([
  ['runAsUser: 1000', 'runAsUser: 0', /runAsUser/],
  ['automountServiceAccountToken: false', '', /token/],
  ['enableServiceLinks: false', '', /TANDEM_PORT/],
  ['limits: {cpu: 1, memory: 1Gi}', 'limits: {cpu: 1}', /no memory in limits/],
  ['livenessProbe: {}', '', /livenessProbe/],
  ['env: [', 'env: [{name: X_PASSWORD, value: hunter2}, ', /written out/],
  ['image: gateway', 'command: [/bin/sh, -c, x]\n            image: gateway', /shell/],
  ['image: gateway:1.2.3', 'image: gateway:latest', /tag moves/],
  ['maxUnavailable: 0', 'maxUnavailable: 1', /maxUnavailable/],
  ['PeriodSeconds: 30', 'PeriodSeconds: 24', /does not cover/],
  ['seconds: 10', 'seconds: 1', /preStop/],
  ['value: 14s', 'value: 25s', /SHUTDOWN/],
  ['value: 14s', 'value: 4s', /SHUTDOWN/],
  ['stabilizationWindowSeconds: 300, ', '', /stabilised/],
  ['type: Pods, value: 1', 'type: Percent, value: 50', /more than one pod/],
])('in place of %s, %s is refused', (good, bad, fault) => {
  const faults = faultsOf(GOOD.replace(good, bad));
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(fault);
});

test.each([
  ['registry.example.com:5000/team/gateway:0.1.0', 0],
  [`gateway@sha256:${'0'.repeat(64)}`, 0],
  ['registry.example.com:5000/gateway', 1],
  ['node:24', 1],
])('image %s has %i faults', (image, faults) => {
  expect(imageFaults(image)).toHaveLength(faults);
});
