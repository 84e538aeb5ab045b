import { parseDuration } from '../../packages/platform/src/config/parse-measure.ts';
import { type Container, type KubeObject, nameOf, type Workload } from './chart.ts';

/** Time beyond waits and drains that a process gets to close its connections. Seconds. */
const LEAST_MARGIN = 10;
/** Load balancers need about so long to notice that a pod is to go. Seconds. */
const LEAST_PRE_STOP = 5;
const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'];
const MOVING_TAGS = new Set(['latest', 'main', 'edge', 'stable', 'lts']);
const SECRET_NAME = /(SECRET|PASSWORD|TOKEN|KEY|AUTH|CREDENTIALS)$/;

/** What this project asks beyond what validators of others do. */
export function houseFaults(objects: readonly KubeObject[], workloads: readonly Workload[]): string[] {
  return [...workloads.flatMap(workloadFaults), ...objects.flatMap(scalingFaults)];
}

/** What is wrong with how an image is named. */
export function imageFaults(image: string): string[] {
  if (/@sha256:[0-9a-f]{64}$/.test(image)) return [];
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  if (tag === undefined) return [`image ${image} has no tag`];
  if (MOVING_TAGS.has(tag)) return [`image ${image}: the tag moves`];
  return /\d+\.\d+/.test(tag) ? [] : [`image ${image}: the tag names no exact version`];
}

function workloadFaults(workload: Workload): string[] {
  const { spec } = workload.pod;
  const faults = [
    ...(Number(spec.securityContext?.runAsUser) > 0 ? [] : ['runAsUser is root or unset']),
    ...(spec.automountServiceAccountToken === false ? [] : ['a service account token is mounted']),
    ...(spec.enableServiceLinks === false ? [] : ['service links would set TANDEM_PORT']),
    ...workload.containers.flatMap((container) =>
      containerFaults(container, workload.lasting).map((fault) => `container ${container.name}: ${fault}`),
    ),
    ...(workload.object.kind === 'Deployment' ? rolloutFaults(workload) : []),
  ];
  return faults.map((fault) => `${nameOf(workload.object)}: ${fault}`);
}

function containerFaults(container: Container, lasting: boolean): string[] {
  const { command = [], args = [], env = [], resources = {}, lifecycle } = container;
  const hooks = PROBES.map((name) => container[name]?.exec?.command ?? []);
  const words: string[] = [command, args, hooks, lifecycle?.preStop?.exec?.command ?? []].flat(2);
  const written = (env as { name: string; value?: string }[]).filter(
    ({ name, value }) => SECRET_NAME.test(name) && value && !/^"?\$\([A-Z_]+\)"?$/.test(value),
  );
  return [
    ...imageFaults(container.image),
    ...['requests', 'limits'].flatMap((kind) =>
      ['cpu', 'memory'].filter((what) => !resources[kind]?.[what]).map((what) => `no ${what} in ${kind}`),
    ),
    ...(lasting ? PROBES.filter((probe) => !container[probe]).map((probe) => `no ${probe}`) : []),
    ...written.map(({ name }) => `${name} is written out`),
    ...(words.some((word) => /^(\/bin\/)?(ba)?sh$/.test(word)) ? ['needs a shell'] : []),
  ];
}

/** What would cut streams or lose turns at an update or a drained node. */
function rolloutFaults({ object, pod: { spec }, containers: [container], component }: Workload): string[] {
  const faults: string[] = [];
  if (object.spec.strategy?.rollingUpdate?.maxUnavailable !== 0) faults.push('maxUnavailable is not 0');
  const env = new Map<string, string>(container?.env?.map(({ name, value }: Container) => [name, value]));
  const secondsOf = (name: string, otherwise: string) =>
    (parseDuration(env.get(name) ?? otherwise) ?? Number.NaN) / 1000;
  const drain = secondsOf('TANDEM_DRAIN_GRACE', '');
  const preStop = container?.lifecycle?.preStop?.sleep?.seconds ?? 0;
  const grace = spec.terminationGracePeriodSeconds;
  if (!(grace >= preStop + drain + LEAST_MARGIN)) {
    faults.push(
      `terminationGracePeriodSeconds ${grace} does not cover preStop ${preStop} s and drain ${drain} s`,
    );
  }
  if (component === 'gateway' && preStop < LEAST_PRE_STOP) {
    faults.push(`preStop waits ${preStop} s: requests would reach a pod that no longer listens`);
  }
  if (env.has('TANDEM_SHUTDOWN_TIMEOUT')) {
    const seconds = secondsOf('TANDEM_SHUTDOWN_TIMEOUT', '');
    const fits = seconds >= drain + secondsOf('TANDEM_STORE_TIMEOUT', '0') && preStop + seconds <= grace;
    if (!fits) faults.push(`TANDEM_SHUTDOWN_TIMEOUT of ${seconds} s does not fit`);
  }
  return faults;
}

function scalingFaults(object: KubeObject): string[] {
  if (!['HorizontalPodAutoscaler', 'ScaledObject'].includes(object.kind)) return [];
  const { behavior } = object.spec.advanced?.horizontalPodAutoscalerConfig ?? object.spec;
  const down = behavior?.scaleDown;
  if (!(down?.stabilizationWindowSeconds >= 60)) return [`${nameOf(object)}: scaling down is not stabilised`];
  const gentle = down.policies?.every(({ type, value }: Container) => type === 'Pods' && value === 1);
  return gentle ? [] : [`${nameOf(object)}: more than one pod may go at once`];
}
