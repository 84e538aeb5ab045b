import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { imageFaults } from '../check-helm/house-rules.ts';
import { settingFaults } from '../check-helm/service-config.ts';
import { readStages } from '../check-images/dockerfile.ts';
import { root } from '../toolchain.mjs';
import { type ComposeFile, type ComposeService, readCompose } from './compose.ts';

/** What runs without any profile. */
const CORE = ['proxy', 'gateway', 'worker', 'nats', 'valkey'];
const SECRET_NAME = /(SECRET|PASSWORD|TOKEN|KEY)$/;

/** What is wrong with a Compose file's form, by the specification's own schema. */
export function schemaFaults(file: ComposeFile, schemaPath: string): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, validateFormats: false });
  const validate = ajv.compile(JSON.parse(readFileSync(schemaPath, 'utf8')));
  if (validate(file)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** What is wrong with what a Compose file says. */
export function composeFaults(file: ComposeFile): string[] {
  return [
    ...Object.entries(file.services).flatMap(([name, service]) =>
      [
        ...serviceFaults(name, service),
        ...startFaults(service, file),
        ...networkFaults(name, service, file),
      ].map((fault) => `${name}: ${fault}`),
    ),
    ...CORE.filter((name) => !(name in file.services)).map((name) => `${name} is missing`),
  ];
}

/** Whether a text of a Compose file holds a password. */
export function passwordFaults(text: string): string[] {
  return [...text.matchAll(/^[ \t]*(\w+):[ \t]*(\S.*)$/gm)]
    .filter(
      ([, name = '', value = '']) =>
        SECRET_NAME.test(name) && !/^["']?\$\{\w+(:\?[^}]*)?\}["']?$|^$/.test(value),
    )
    .map(([, name]) => `${name} is written out`);
}

/** The repository's own file, in all respects. */
export function repositoryFaults(schemaPath: string): string[] {
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const file = readCompose(text);
  return [...schemaFaults(file, schemaPath), ...composeFaults(file), ...passwordFaults(text)];
}

function serviceFaults(name: string, service: ComposeService): string[] {
  const {
    image = '',
    build,
    healthcheck,
    volumes = [],
    ports = [],
    profiles = [],
    environment = {},
  } = service;
  const faults = imageFaults(image);
  if (!healthcheck?.test && !healthcheck?.disable) faults.push('has no health check');
  if (healthcheck?.test && healthcheck.test[0] !== 'CMD') faults.push('its health check needs a shell');
  if (CORE.includes(name) === profiles.length > 0)
    faults.push('what is optional, and only that, has a profile');
  if (service.privileged || service.network_mode) faults.push('is not kept apart from the machine');
  for (const port of ports)
    if (!port.startsWith('127.0.0.1:')) faults.push(`port ${port} is open to the network`);
  for (const { type, source } of volumes) {
    if (type === 'bind' && !existsSync(join(root, source))) faults.push(`${source} is not there`);
  }
  if (build && !hasTarget(build)) faults.push(`${build.dockerfile} has no stage ${build.target}`);
  const values = Object.entries(environment).map(([key, value]) => [key, value ?? ''] as const);
  return [...faults, ...settingFaults(name, Object.fromEntries(values))];
}

function hasTarget({ dockerfile, target }: { dockerfile: string; target: string }): boolean {
  return readStages(readFileSync(join(root, dockerfile), 'utf8')).some(({ name }) => name === target);
}

function startFaults({ depends_on: others = {} }: ComposeService, { services }: ComposeFile): string[] {
  return Object.entries(others).flatMap(([other, { condition }]) => {
    if (!services[other]) return [`waits for ${other}, which is not there`];
    return condition === 'service_healthy' ? [] : [`does not wait until ${other} is healthy`];
  });
}

/** NATS and Valkey ask for no password, so that nobody else may be where they are. */
function networkFaults(
  name: string,
  { networks = [], ports = [] }: ComposeService,
  file: ComposeFile,
): string[] {
  if (name !== 'nats' && name !== 'valkey') return [];
  const open = networks.filter((network) => !file.networks?.[network]?.internal);
  return [
    ...open.map((network) => `is in ${network}, which is not internal`),
    ...ports.map(() => 'publishes a port'),
  ];
}
