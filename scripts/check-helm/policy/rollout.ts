import { parseDuration } from '../../../packages/platform/src/config/parse-duration.ts';
import { type KubeObject, nameOf, type Workload } from '../objects.ts';

/** Time beyond waits and drains that a process gets to close its connections. Seconds. */
const LEAST_MARGIN = 10;
/** Load balancers need about so long to notice that a pod is to go. Seconds. */
const LEAST_PRE_STOP = 5;

/** What would cut streams or lose turns at an update, a drained node or a scale-down. */
export function rolloutFaults(objects: readonly KubeObject[], workloads: readonly Workload[]): string[] {
  return [
    ...workloads.filter(({ object }) => object.kind === 'Deployment').flatMap(deploymentFaults),
    ...objects.flatMap(scalingFaults),
  ];
}

function deploymentFaults({ object, spec, containers, component }: Workload): string[] {
  const faults: string[] = [];
  const update = object.spec.strategy?.rollingUpdate ?? {};
  if (update.maxUnavailable !== 0) faults.push('maxUnavailable is not 0');
  const env = new Map(containers[0]?.env?.map(({ name, value }) => [name, value]));
  const drain = secondsOf(env.get('TANDEM_DRAIN_GRACE') ?? '');
  const preStop = containers[0]?.lifecycle?.preStop?.sleep?.seconds ?? 0;
  const grace = spec.terminationGracePeriodSeconds;
  if (!(grace >= preStop + drain + LEAST_MARGIN)) {
    faults.push(
      `terminationGracePeriodSeconds ${grace} does not cover preStop ${preStop} s and drain ${drain} s`,
    );
  }
  if (component === 'gateway' && preStop < LEAST_PRE_STOP) {
    faults.push(`preStop waits ${preStop} s: requests would reach a pod that no longer listens`);
  }
  const shutdown = env.get('TANDEM_SHUTDOWN_TIMEOUT');
  if (shutdown !== undefined) {
    const seconds = secondsOf(shutdown);
    const store = secondsOf(env.get('TANDEM_STORE_TIMEOUT') ?? '0');
    if (!(seconds >= drain + store && preStop + seconds <= grace))
      faults.push(`TANDEM_SHUTDOWN_TIMEOUT ${shutdown} does not fit`);
  }
  return faults.map((fault) => `${nameOf(object)}: ${fault}`);
}

function secondsOf(duration: string): number {
  return (parseDuration(duration) ?? Number.NaN) / 1000;
}

function scalingFaults(object: KubeObject): string[] {
  const behavior =
    object.kind === 'HorizontalPodAutoscaler'
      ? object.spec.behavior
      : object.kind === 'ScaledObject'
        ? object.spec.advanced?.horizontalPodAutoscalerConfig?.behavior
        : undefined;
  if (!['HorizontalPodAutoscaler', 'ScaledObject'].includes(object.kind)) return [];
  const down = behavior?.scaleDown;
  if (!(down?.stabilizationWindowSeconds >= 60)) return [`${nameOf(object)}: scaling down is not stabilised`];
  const gentle = down.policies?.every(
    ({ type, value }: { type: string; value: number }) => type === 'Pods' && value === 1,
  );
  return gentle ? [] : [`${nameOf(object)}: more than one pod may go at once`];
}
