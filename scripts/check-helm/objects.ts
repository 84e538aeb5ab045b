/** A rendered object, as far as the checks look into it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: objects of many kinds; kubectl-validate has checked their form.
  readonly [field: string]: any;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVariable[];
  readonly ports?: readonly { name?: string; containerPort: number; protocol?: string; hostPort?: number }[];
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly [field: string]: any;
}

export interface EnvVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { name: string; key: string }; readonly fieldRef?: object };
}

/** The pods that an object stands for. */
export interface Workload {
  readonly object: KubeObject;
  readonly component: string;
  readonly labels: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly spec: any;
  readonly containers: readonly Container[];
  /** Whether its pods are to run on, rather than to end. */
  readonly lasting: boolean;
}

const COMPONENT = 'app.kubernetes.io/component';

/** All objects whose pods run something. */
export function workloadsOf(objects: readonly KubeObject[]): Workload[] {
  return objects.flatMap((object) => {
    const pod = object.kind === 'Pod' ? object : object.spec?.template;
    if (!pod?.spec?.containers) return [];
    const labels = pod.metadata?.labels ?? {};
    const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
    const lasting = object.kind !== 'Pod' && object.kind !== 'Job';
    return [{ object, component: labels[COMPONENT] ?? '', labels, spec: pod.spec, containers, lasting }];
  });
}

/** `Kind name`, for messages. */
export function nameOf(object: KubeObject): string {
  return `${object.kind} ${object.metadata.name}`;
}
