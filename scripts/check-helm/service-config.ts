import { clusterConfigShape } from '../../packages/cluster/src/config-shape.ts';
import { settingsOf } from '../../packages/platform/src/config/setting.ts';
import {
  ConfigError,
  type ConfigShape,
  findConflicts,
  parseUsersFile,
  readCatalogue,
  readConfig,
} from '../../packages/platform/src/index.ts';
import { gatewayProcessShape } from '../../services/gateway/src/config/process-config.ts';
import { workerProcessShape } from '../../services/worker/src/worker-config.ts';
import { type Container, type KubeObject, nameOf, type Workload } from './chart.ts';

const SHAPES: Readonly<Record<string, ConfigShape>> = {
  gateway: { gateway: gatewayProcessShape, cluster: clusterConfigShape },
  worker: { worker: workerProcessShape, cluster: clusterConfigShape },
};
/** Variables that are not settings of a shape, and who reads them. */
const OTHERS = new Set(['TANDEM_MODELS_FILE']);
/** Stands for whatever a Secret holds: long enough for all, and part of a URL. */
const SECRET = 'x'.repeat(40);

/** Whether the services take the environment that the chart gives them: every variable known, every value right. */
export function serviceConfigFaults(workloads: readonly Workload[]): string[] {
  return workloads.flatMap(({ component, containers, object }) => {
    const [container] = containers;
    if (!container) return [];
    return settingFaults(component, resolved(container)).map((fault) => `${nameOf(object)}: ${fault}`);
  });
}

/** Whether a service takes an environment. Nothing is known of what is no service of ours. */
export function settingFaults(service: string, env: Readonly<Record<string, string>>): string[] {
  const shape = SHAPES[service];
  return shape ? [...unknownVariables(shape, env), ...unfit(shape, env)] : [];
}

/** Whether the services take the files that the chart makes for them. */
export function serviceFileFaults(objects: readonly KubeObject[]): string[] {
  return objects.flatMap((object) => {
    if (object.kind !== 'ConfigMap') return [];
    try {
      if (object.data['users.yaml']) {
        const faults = findConflicts(parseUsersFile(object.data['users.yaml']));
        if (faults.length > 0) throw new ConfigError(faults);
      }
      if (object.data['models.yaml']) {
        readCatalogue({
          env: { TANDEM_MODELS_FILE: 'models.yaml' },
          readTextFile: () => object.data['models.yaml'],
        });
      }
      return [];
    } catch (error) {
      return [`${nameOf(object)}: ${error instanceof Error ? error.message : error}`];
    }
  });
}

function unknownVariables(shape: ConfigShape, env: Readonly<Record<string, string>>): string[] {
  const known = new Set(OTHERS);
  for (const [, { variable, secret }] of settingsOf(shape)) {
    known.add(variable);
    if (secret) known.add(`${variable}_FILE`);
  }
  return Object.keys(env)
    .filter((name) => name.startsWith('TANDEM_') && !known.has(name))
    .map((name) => `the service reads no ${name}`);
}

function unfit(shape: ConfigShape, env: Readonly<Record<string, string>>): string[] {
  const readFile = (path: string) => (path.endsWith('-url') ? `redis://user:${SECRET}@host:6379` : SECRET);
  try {
    readConfig(shape, env, [], { readFile });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n');
  }
}

/** The environment as the kubelet would make it. @param secret stands for whatever a Secret holds */
export function resolved({ env = [] }: Container, secret = SECRET): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name, value } of env) {
    values[name] =
      value?.replaceAll(/\$\((\w+)\)/g, (whole: string, other: string) => values[other] ?? whole) ?? secret;
  }
  return values;
}
