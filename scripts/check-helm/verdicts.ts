import { spawnSync } from 'node:child_process';
import type { KubeObject, Workload } from './chart.ts';
import { nameOf } from './chart.ts';

/** One end of a connection: a pod, or an address outside. */
export interface Peer {
  readonly Internal?: {
    readonly PodLabels: object;
    readonly Namespace: string;
    readonly NamespaceLabels: object;
  };
  readonly IP: string;
}

export interface Traffic {
  readonly Source: Peer;
  readonly Destination: Peer;
  readonly ResolvedPort: number;
  readonly Protocol: string;
}

interface Question {
  readonly pods?: readonly object[];
  readonly policies?: readonly KubeObject[];
  readonly traffic?: readonly Traffic[];
}

/** What a cluster would say: see verdicts/main.go. */
export function verdictsOn(program: string, question: Question): { pods: string[]; traffic: boolean[] } {
  const policies = question.policies?.map((policy) => ({
    ...policy,
    metadata: { ...policy.metadata, namespace: 'tandem' },
  }));
  const input = JSON.stringify({ ...question, policies });
  const done = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (done.status !== 0) throw done.error ?? new Error(done.stderr);
  return JSON.parse(done.stdout);
}

/** What keeps pods from running under the pod security standard *restricted*. */
export function restrictedFaults(program: string, workloads: readonly Workload[]): string[] {
  const { pods } = verdictsOn(program, {
    pods: workloads.map(({ pod: { metadata, spec } }) => ({ metadata, spec })),
  });
  return workloads.flatMap(({ object }, index) => (pods[index] ? `${nameOf(object)}: ${pods[index]}` : []));
}
