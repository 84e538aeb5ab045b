import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../toolchain.mjs';
import { composeFaults, passwordFaults, readCompose } from './check.ts';

const TEXT = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
/** A variable as a Compose file has it. */
const variable = (inner: string) => `$\{${inner}}`;

test('the file has what was asked for', () => {
  const file = readCompose(TEXT);
  expect(composeFaults(file)).toEqual([]);
  expect(passwordFaults(TEXT)).toEqual([]);
  const { gateway, worker, nats } = file.services;
  expect([gateway?.deploy?.replicas, worker?.deploy?.replicas]).toEqual([2, 2]);
  expect(nats?.image).toMatch(/^nats:2\.(1[5-9]|[2-9]\d)\./);
});

test('variables are replaced, or stand at their default', () => {
  const text = `services: {a: {image: "x:${variable('V:-1.0.0')}"}}`;
  expect(readCompose(text).services.a?.image).toBe('x:1.0.0');
  expect(readCompose(text, { V: '2.0.0' }).services.a?.image).toBe('x:2.0.0');
});

test.each([
  ['nats:2.15.3-alpine', 'nats:latest', 'nats: image nats:latest'],
  ['networks: [engines]\n    stop_grace_period: 45s', 'networks: [front]', 'nats: is in front'],
  ['127.0.0.1:3000', '0.0.0.0:3000', 'grafana: port 0.0.0.0:3000:3000 is open'],
  ['target: worker}', 'target: wroker}', 'worker: deploy/docker/Dockerfile has no stage wroker'],
  ['./deploy/compose/nats.conf', './deploy/compose/gnats.conf', 'gnats.conf is not there'],
  ['TANDEM_DRAIN_GRACE: 20s', 'TANDEM_DRAIN_GRACE: 20', 'TANDEM_DRAIN_GRACE'],
  ['TANDEM_DRAIN_GRACE: 20s', 'TANDEM_DRAIN_GRACES: 20s', 'reads no TANDEM_DRAIN_GRACES'],
  ['valkey: {condition: service_healthy}', 'valkey: {condition: service_started}', 'until valkey is healthy'],
  ['[CMD, valkey-cli, -e, ping]', '[CMD-SHELL, valkey-cli ping]', 'valkey: its health check needs a shell'],
  ['profiles: [traces]', 'labels: {}', 'jaeger: what is optional'],
])('%j in place of %j is found', (good, bad, fault) => {
  expect(TEXT).toContain(good);
  expect(composeFaults(readCompose(TEXT.replace(good, bad))).join('\n')).toContain(fault);
});

test('a password in the file is found', () => {
  expect(
    passwordFaults(`    DB_PASSWORD: hunter2\n    OTHER: x\n    API_KEY: ${variable('API_KEY:?set it')}\n`),
  ).toEqual(['DB_PASSWORD is written out']);
});
