import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { imageFaults } from '../check-helm/house-rules.ts';
import { settingFaults } from '../check-helm/service-config.ts';
import { readStages } from '../check-images/dockerfile.ts';
import { root } from '../toolchain.mjs';

/** A Compose file with its variables replaced. */
interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

/** A service, as far as the checks look into it. */
interface ComposeService {
  readonly image: string;
  readonly build?: { readonly dockerfile: string; readonly target: string };
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes?: readonly { readonly type: string; readonly source: string }[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly networks?: readonly string[];
  readonly privileged?: boolean;
  readonly network_mode?: string;
  readonly deploy?: { readonly replicas?: number };
}

/** What runs without any profile. */
const CORE = ['proxy', 'gateway', 'worker', 'nats', 'valkey'];
/** They ask for no password, so that nobody else may be where they are. */
const WITHOUT_PASSWORD = ['nats', 'valkey'];
const SECRET_NAME = /(SECRET|PASSWORD|TOKEN|KEY)$/;

/** The repository's own file, in all respects; its form by the specification's own schema. */
export function repositoryFaults(schemaPath: string): string[] {
  const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const file = readCompose(text);
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, validateFormats: false });
  const validate = ajv.compile(JSON.parse(readFileSync(schemaPath, 'utf8')));
  validate(file);
  const misformed = validate.errors?.map(({ instancePath, message }) => `${instancePath}: ${message}`) ?? [];
  return [...misformed, ...composeFaults(file), ...passwordFaults(text)];
}

/** Reads a Compose file as `docker compose` does: merge keys joined, `${NAME:-otherwise}` replaced. */
export function readCompose(text: string, env: Readonly<Record<string, string>> = {}): ComposeFile {
  const variable = /\$\{(\w+)(?::-([^}]*))?\}/g;
  return parse(
    text.replaceAll(variable, (_, name, otherwise = '') => env[name] ?? otherwise),
    { merge: true },
  );
}

/** What is wrong with what a Compose file says. */
export function composeFaults(file: ComposeFile): string[] {
  const missing = CORE.filter((name) => !(name in file.services)).map((name) => `${name} is missing`);
  const wrong = Object.entries(file.services).flatMap(([name, service]) =>
    [...serviceFaults(name, service), ...placeFaults(name, service, file)].map(
      (fault) => `${name}: ${fault}`,
    ),
  );
  return [...wrong, ...missing];
}

/** Whether a text of a Compose file holds a password. */
export function passwordFaults(text: string): string[] {
  const written = [...text.matchAll(/^[ \t]*(\w+):[ \t]*(\S.*)$/gm)].filter(
    ([, name = '', value = '']) =>
      SECRET_NAME.test(name) && !/^["']?\$\{\w+(:\?[^}]*)?\}["']?$|^$/.test(value),
  );
  return written.map(([, name]) => `${name} is written out`);
}

function serviceFaults(name: string, service: ComposeService): string[] {
  const { build, healthcheck, profiles = [], environment = {} } = service;
  const faults = imageFaults(service.image);
  if (!healthcheck?.test && !healthcheck?.disable) faults.push('has no health check');
  if (healthcheck?.test && healthcheck.test[0] !== 'CMD') faults.push('its health check needs a shell');
  if (CORE.includes(name) === profiles.length > 0)
    faults.push('what is optional, and only that, has a profile');
  if (service.privileged || service.network_mode) faults.push('is not kept apart from the machine');
  const stages = build ? readStages(readFileSync(join(root, build.dockerfile), 'utf8')) : [];
  if (build && !stages.some((stage) => stage.name === build.target)) {
    faults.push(`${build.dockerfile} has no stage ${build.target}`);
  }
  const values = Object.entries(environment).map(([key, value]) => [key, value ?? ''] as const);
  return [...faults, ...settingFaults(name, Object.fromEntries(values))];
}

/** What is wrong with where a service is, and beside what. */
function placeFaults(name: string, service: ComposeService, { services, networks }: ComposeFile): string[] {
  const { volumes = [], ports = [], depends_on: others = {}, networks: own = [] } = service;
  const absent = volumes.filter(({ type, source }) => type === 'bind' && !existsSync(join(root, source)));
  const open = own.filter((network) => WITHOUT_PASSWORD.includes(name) && !networks?.[network]?.internal);
  return [
    ...absent.map(({ source }) => `${source} is not there`),
    ...ports
      .filter((port) => !port.startsWith('127.0.0.1:'))
      .map((port) => `port ${port} is open to the network`),
    ...open.map((network) => `is in ${network}, which is not internal`),
    ...(WITHOUT_PASSWORD.includes(name) ? ports.map(() => 'publishes a port') : []),
    ...Object.entries(others).flatMap(([other, { condition }]) => {
      if (!services[other]) return [`waits for ${other}, which is not there`];
      return condition === 'service_healthy' ? [] : [`does not wait until ${other} is healthy`];
    }),
  ];
}
