import { type Container, nameOf, type Workload } from '../objects.ts';

const MOVING_TAGS = new Set(['latest', 'main', 'edge', 'stable', 'lts']);
const SECRET_NAME = /(SECRET|PASSWORD|TOKEN|KEY|AUTH|CREDENTIALS)$/;

/** Images by exact version, limits, probes, and no secret written out. */
export function containerFaults(workload: Workload): string[] {
  return workload.containers.flatMap((container) => {
    const faults = [
      ...imageFaults(container.image),
      ...resourceFaults(container),
      ...(workload.lasting ? probeFaults(container) : []),
      ...secretFaults(container),
      ...shellFaults(container),
    ];
    return faults.map((fault) => `${nameOf(workload.object)}: container ${container.name}: ${fault}`);
  });
}

/** What is wrong with how an image is named. */
export function imageFaults(image: string): string[] {
  if (/@sha256:[0-9a-f]{64}$/.test(image)) return [];
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  if (tag === undefined) return [`image ${image} has no tag`];
  if (MOVING_TAGS.has(tag)) return [`image ${image}: the tag moves`];
  return /\d+\.\d+/.test(tag) ? [] : [`image ${image}: the tag names no exact version`];
}

function resourceFaults({ resources = {} }: Container): string[] {
  return ['requests', 'limits'].flatMap((kind) =>
    ['cpu', 'memory'].filter((what) => !resources[kind]?.[what]).map((what) => `no ${what} in ${kind}`),
  );
}

function probeFaults(container: Container): string[] {
  return ['startupProbe', 'readinessProbe', 'livenessProbe']
    .filter((probe) => !container[probe])
    .map((probe) => `no ${probe}`);
}

function secretFaults({ env = [] }: Container): string[] {
  return env
    .filter(({ name, value }) => SECRET_NAME.test(name) && value && !/^"?\$\([A-Z_]+\)"?$/.test(value))
    .map(({ name }) => `${name} is written out`);
}

function shellFaults({ command = [], args = [], ...container }: Container): string[] {
  const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].map(
    (name) => container[name]?.exec?.command ?? [],
  );
  const words = [command, args, ...probes, container.lifecycle?.preStop?.exec?.command ?? []];
  return words.flat().some((word: string) => /^(\/bin\/)?(ba)?sh$/.test(word)) ? ['needs a shell'] : [];
}
