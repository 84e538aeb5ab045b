import { type Container, nameOf, type Workload } from '../objects.ts';

const VOLUMES = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** What keeps pods from running under the pod security standard *restricted*, and what this project asks beyond it. */
export function securityFaults(workload: Workload): string[] {
  const { spec, object } = workload;
  const where = nameOf(object);
  const faults: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) faults.push(`${where}: ${what}`);
  };
  must(spec.securityContext?.runAsNonRoot === true, 'runAsNonRoot is not true');
  must(Number(spec.securityContext?.runAsUser) > 0, 'runAsUser is root or unset');
  must(
    spec.securityContext?.seccompProfile?.type === 'RuntimeDefault',
    'seccompProfile is not RuntimeDefault',
  );
  must(spec.automountServiceAccountToken === false, 'a service account token is mounted');
  must(spec.enableServiceLinks === false, 'service links would set TANDEM_PORT');
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) must(!spec[field], `${field} is set`);
  for (const { name, ...source } of spec.volumes ?? []) {
    const [kind = 'nothing'] = Object.keys(source);
    must(VOLUMES.includes(kind), `volume ${name} is a ${kind}`);
  }
  for (const container of workload.containers) {
    faults.push(
      ...containerFaults(container).map((fault) => `${where}: container ${container.name}: ${fault}`),
    );
  }
  return faults;
}

function containerFaults({ securityContext: context = {}, ports = [] }: Container): string[] {
  const faults: string[] = [];
  const must = (holds: boolean, what: string) => {
    if (!holds) faults.push(what);
  };
  must(context.allowPrivilegeEscalation === false, 'allowPrivilegeEscalation is not false');
  must(context.readOnlyRootFilesystem === true, 'the root file system can be written to');
  must(!context.privileged, 'is privileged');
  must(context.runAsNonRoot !== false && context.runAsUser !== 0, 'runs as root');
  must(!!context.capabilities?.drop?.includes('ALL'), 'does not drop all capabilities');
  must(
    (context.capabilities?.add ?? []).every((name: string) => name === 'NET_BIND_SERVICE'),
    'adds capabilities',
  );
  must(!context.procMount || context.procMount === 'Default', 'procMount is set');
  must(
    !context.seccompProfile || context.seccompProfile.type === 'RuntimeDefault',
    'has a seccompProfile of its own',
  );
  must(
    ports.every(({ hostPort }) => !hostPort),
    'takes a port of the host',
  );
  return faults;
}
